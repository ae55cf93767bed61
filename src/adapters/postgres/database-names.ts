import { sha256 } from "../../domain/trail/crypto.ts";
import { toUtf8 } from "../../domain/trail/encoding.ts";

/** In bytes. PostgreSQL cuts a longer name, which may then be that of another database. */
const longest = 63;

/**
 * The name of a database beside another one: that one's with this end. Where it would be too long, a hash takes the place of what
 * does not fit, so that no other database has it.
 */
export function nameBeside(database: string, end: string): string {
  const name = `${database}${end}`;
  if (toUtf8(name).length <= longest) return name;
  const hashed = `_${Buffer.from(sha256(toUtf8(database)))
    .toString("hex")
    .slice(0, 8)}${end}`;
  let begin = [...database];
  while (toUtf8(begin.join("")).length + hashed.length > longest) begin = begin.slice(0, -1);
  return `${begin.join("")}${hashed}`;
}

/** Whether the server takes the name as it is, and a terminal shows it so. */
export const isNameOfDatabase = (name: string): boolean =>
  toUtf8(name).length <= longest && !/\p{C}/u.test(name);

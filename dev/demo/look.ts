import type { Login } from "../run/logins.ts";
import { login, makeCall } from "./write.ts";

/** What is worth a look among the demo records. */
const paths = ["/assets", "/logs?limit=1", "/logs?status=PENDING&limit=1", "/logs/active-assets?limit=1"];
const shownCharacters = 160;

/** Commands that show the demo records, each with the beginning of its response, below the command that logs in. */
export async function lookAround(api: string, admin: Login): Promise<string> {
  const call = makeCall(api);
  const token = await login(call, admin.email, admin.password);
  const looks: string[] = [];
  for (const path of paths) {
    const text = JSON.stringify(await call("GET", path, token));
    const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
    looks.push(`  get '${path}'; echo\n    ${shown}`);
  }
  return looks.join("\n");
}

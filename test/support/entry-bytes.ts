import { toUtf8 } from "../../src/domain/trail/encoding.ts";
import { type EntryFields, type EntryKind, entryFields } from "../../src/domain/trail/entry.ts";

/** In the canonical form of RFC 8785, whose members are no objects here. */
export const entryBytes = (entry: object): Uint8Array =>
  toUtf8(JSON.stringify(entry, Object.keys(entry).sort()));

/** The entry of a record: what one of its kind says of all that is known of the record. */
export function entryOf(kind: EntryKind, record: Readonly<Record<string, unknown>>): Uint8Array {
  const fields: EntryFields = entryFields[kind];
  const said = Object.entries({ ...record, kind }).filter(([name, value]) => fields[name]?.is(value));
  return entryBytes(Object.fromEntries(said));
}

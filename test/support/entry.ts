import assert from "node:assert/strict";
import type { Role } from "../../src/domain/role.ts";
import { canonicalJson } from "../../src/domain/trail/canonical-json.ts";
import { fromUtf8 } from "../../src/domain/trail/encoding.ts";
import { type LogEntry, readLogEntry } from "../../src/domain/trail/entry.ts";

/** An employee who was created, or whose role or activity changed. */
interface EmployeeEntry {
  readonly kind: "employee";
  readonly id: number;
  readonly role: Role;
  readonly active: boolean;
  /** The id of the employee who asked; null for the operator, and for what was there before the trail. */
  readonly changedBy: number | null;
  readonly recordedAt: string | null;
}

/** An asset that was created, or whose activity changed. */
interface AssetEntry {
  readonly kind: "asset";
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  readonly changedBy: number | null;
  readonly recordedAt: string | null;
}

export type Entry = LogEntry | EmployeeEntry | AssetEntry;

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  employee: ["active", "changedBy", "id", "kind", "recordedAt", "role"],
  asset: ["active", "changedBy", "description", "id", "kind", "name", "recordedAt"],
};

/** The entry that has these bytes: in the canonical form, with exactly the fields of its kind. */
export function readEntry(bytes: Uint8Array): Entry {
  const text = fromUtf8(bytes);
  const value = JSON.parse(text);
  if (value.kind === "log") return readLogEntry(bytes);
  assert.equal(canonicalJson(value), text);
  assert.deepEqual(Object.keys(value), fieldsOf[value.kind]);
  return value;
}

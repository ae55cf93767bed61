import { canonicalJson } from "../../src/domain/trail/canonical-json.ts";
import { toUtf8 } from "../../src/domain/trail/encoding.ts";
import type { Entry } from "../../src/domain/trail/entry.ts";

/** The service reads entries; PostgreSQL writes them. */
export const entryBytes = (entry: Entry): Uint8Array => toUtf8(canonicalJson(entry));

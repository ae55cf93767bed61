import { toUtf8 } from "../../src/domain/trail/encoding.ts";

/** In the canonical form of RFC 8785, whose members are no objects here. */
export const entryBytes = (entry: object): Uint8Array =>
  toUtf8(JSON.stringify(entry, Object.keys(entry).sort()));

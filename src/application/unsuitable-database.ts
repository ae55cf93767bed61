/** The database can be reached and cannot serve this program; the message says why, and what the operator can do. */
export class UnsuitableDatabase extends Error {
  override readonly name = "UnsuitableDatabase";
}

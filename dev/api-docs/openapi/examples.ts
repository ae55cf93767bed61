export type Example = string | number | boolean;

/** Examples of parameters, and of ids by the record. All of them work on a fresh `make demo`. */
const examples: Readonly<Record<string, Example>> = {
  employee: 3,
  asset: 7,
  log: 42,
  active: true,
  status: "COMPLETED",
  taskType: "MAINTENANCE",
  performedFrom: "2026-01-01T00:00",
  performedTo: "2027-01-01T00:00",
  limit: 100,
  before: Buffer.from("2026-11-21T09:30:00 42").toString("base64url"),
  from: 0,
  after: "6e340b9cffb37a98",
  path: "entries/000",
  "Idempotency-Key": "0b9fb5a1-6f2e-4f4e-9d5c-5f1f3f9c1a11",
  "If-Match": "*",
  "If-None-Match": '"an-earlier-one"',
};

export function exampleOf(name: string): Example {
  const example = examples[name];
  if (example === undefined) throw new Error(`examples.ts has no example of ${name}`);
  return example;
}

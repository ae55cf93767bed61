import fc from "fast-check";

/** Something of a kind that can happen in a simulation, this often beside the others. */
export const stepOf = <Kind extends string, Fields extends object = object>(
  weight: number,
  kind: Kind,
  fields = {} as { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => ({ weight, arbitrary: fc.record(fields).map(made => ({ kind, ...made }) as { kind: Kind } & Fields) });

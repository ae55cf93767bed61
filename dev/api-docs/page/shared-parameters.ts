import type { Operation, Parameter } from "./description.ts";

/** A parameter that several operations have in the same words. */
export interface SharedParameter extends Parameter {
  /** Its anchor in the page. */
  readonly id: string;
  readonly operations: readonly string[];
}

export function sharedParametersOf(operations: readonly Operation[]): readonly SharedParameter[] {
  const found = new Map<string, SharedParameter>();
  for (const { operationId, parameters } of operations) {
    for (const parameter of parameters) {
      const { name, in: place, description } = parameter;
      const key = JSON.stringify([name, place, description]);
      const before = found.get(key);
      found.set(key, {
        ...parameter,
        id: before?.id ?? `${name}-${found.size}`,
        operations: [...(before?.operations ?? []), operationId],
      });
    }
  }
  return [...found.values()].filter(({ operations }) => operations.length > 1);
}

import type { Type } from "../../src/domain/record.ts";

/** SQL for other values of a column than the one that it has. */
export function othersThan(value: string | null, column: string, { schema, is }: Type<unknown>): string[] {
  const { type, enum: words } = schema as { type: string | string[]; enum?: readonly string[] };
  const isOf = (name: string) => [type].flat().includes(name);
  const other = isOf("integer")
    ? value === "2"
      ? "1"
      : "2"
    : isOf("boolean")
      ? `not ${column}`
      : words !== undefined
        ? `'${words.find(word => word !== value)}'`
        : /_(at|date)$/.test(column)
          ? `${column} + interval '1 microsecond'`
          : `coalesce(${column}, '') || ' '`;
  return is(null) && value !== null ? [other, "null"] : [other];
}

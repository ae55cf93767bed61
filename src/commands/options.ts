import { parseArgs } from "node:util";
import { CommandError, exitCodes } from "./command.ts";

/** An option of a command, as it is read and as the help shows it. */
export interface Option {
  readonly type: "string" | "boolean";
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly text: string;
  readonly required?: true;
  readonly multiple?: true;
  readonly fallback?: string;
}

export type Options = Readonly<Record<string, Option>>;

export const flag = (text: string) => ({ type: "boolean", text }) as const;
export const option = (value: string, text: string) => ({ type: "string", value, text }) as const;
export const required = (value: string, text: string) =>
  ({ ...option(value, text), required: true }) as const;
export const repeated = (value: string, text: string) =>
  ({ ...option(value, text), multiple: true }) as const;
export const withDefault = (value: string, fallback: string, text: string) =>
  ({ ...option(value, `${text}; default ${fallback}`), fallback }) as const;

type ValueOf<O extends Option> = O extends { type: "boolean" }
  ? boolean
  : O extends { multiple: true }
    ? readonly string[]
    : O extends { required: true } | { fallback: string }
      ? string
      : string | undefined;

export type Values<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

export const usageError = (line: string): CommandError => new CommandError(exitCodes.usage, line);

/** Reads what was given; what is wrong with it becomes a usage error that names it. */
export function readGiven<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw usageError(`${name} ${(error as Error).message}`);
  }
}

/**
 * Reads the arguments of a command: its options, and what is none.
 *
 * @throws CommandError for an option that is unknown, missing, or given twice: a mistyped one must not run a command
 */
export function readOptions(
  args: readonly string[],
  { options = {}, argument }: { readonly options?: Options; readonly argument?: string },
): { values: Values<Options>; positionals: readonly string[] } {
  let parsed: { values: Record<string, (string | boolean)[] | undefined>; positionals: string[] };
  try {
    // Each as one that may be repeated, so that a repetition can be refused.
    const known = Object.entries(options).map(
      ([name, { type }]) => [name, { type, multiple: true }] as const,
    );
    const allowPositionals = argument !== undefined;
    parsed = parseArgs({ args: [...args], options: Object.fromEntries(known), allowPositionals });
  } catch (error) {
    throw usageError((error as Error).message);
  }
  const values = Object.entries<Option>(options).map(([name, option]) => {
    const all = parsed.values[name] ?? [];
    if (option.required && all.length === 0) throw usageError(`--${name} is missing`);
    if (option.multiple) return [name, all];
    if (all.length > 1) throw usageError(`--${name} is given twice`);
    return [name, all[0] ?? (option.type === "boolean" ? false : option.fallback)];
  });
  return { values: Object.fromEntries(values), positionals: parsed.positionals };
}

import { readFileSync } from "node:fs";

/** What is wrong with the environment: one line for each setting. Values are never part of it. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.name = "SettingsError";
    this.faults = faults;
  }
}

export interface Setting<T> {
  readonly name: string;
  /** What it is for, in the help and in docs/commands.md. */
  readonly about: string;
  /** In messages about a wrong value. */
  readonly example: string;
  /** The text that is read where the setting is not given. A setting without a fallback must be given, unless it is optional. */
  readonly fallback?: string;
  readonly isOptional?: true;
  /** Throws with the reason when the text will not do. */
  parse(text: string): T;
}

type Parse<T> = Setting<T>["parse"];

export const required = <T>(name: string, about: string, example: string, parse: Parse<T>): Setting<T> => ({
  name,
  about,
  example,
  parse,
});
/** The same setting where it may be missing. */
export const orNone = <T>(setting: Setting<T>): Setting<T | undefined> => ({ ...setting, isOptional: true });
export const optional = <T>(...parts: Parameters<typeof required<T>>) => orNone(required(...parts));
export const withDefault = <T>(
  name: string,
  about: string,
  fallback: string,
  parse: Parse<T>,
  example = fallback,
): Setting<T> => ({ ...required(name, about, example, parse), fallback });

/** The declarations of settings that are read as `S`. */
export type Declared<S> = { readonly [Key in keyof S]: Setting<S[Key]> };

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from the environment, each as `NAME` or from the file that `NAME_FILE` names.
 *
 * @throws SettingsError with every fault at once
 */
export function readSettings<S>(declared: Declared<S>, environment: Environment): S {
  const faults: string[] = [];
  const values = Object.entries<Setting<unknown>>(declared).map(([key, setting]) => {
    try {
      const text = textOf(setting, environment);
      return [key, text === undefined ? undefined : setting.parse(text)];
    } catch (error) {
      faults.push(`${setting.name} ${(error as Error).message}; for example: ${setting.example}`);
      return [key, undefined];
    }
  });
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.fromEntries(values) as S;
}

function textOf({ name, fallback, isOptional }: Setting<unknown>, environment: Environment) {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct !== undefined && file !== undefined) throw new Error(`is given twice, also as ${name}_FILE`);
  const text = (file === undefined ? direct : readSettingFile(name, file)) ?? fallback;
  if (text === undefined && isOptional !== true) throw new Error("is missing");
  if (text === "") throw new Error("is empty");
  return text;
}

function readSettingFile(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8")
      .replace(/^\ufeff/, "")
      .replace(/\r?\n$/, "");
  } catch {
    throw new Error(`cannot be read from the file that ${name}_FILE names`);
  }
  // What stands for bytes that are no UTF-8: a secret of random bytes would lose most of them.
  if (text.includes("\ufffd")) throw new Error(`is not UTF-8 text in the file that ${name}_FILE names`);
  return text;
}

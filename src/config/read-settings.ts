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
  readonly example: string;
  /** What stands for a setting that is not given; without it the setting must be, unless it is optional. */
  readonly fallback?: string;
  readonly optional?: true;
  /** Throws with the reason when the text will not do. */
  parse(text: string, readFile: (path: string) => string): T;
}

type Parse<T> = Setting<T>["parse"];

export const required = <T>(name: string, example: string, parse: Parse<T>): Setting<T> => ({
  name,
  example,
  parse,
});
export const optional = <T>(name: string, example: string, parse: Parse<T>): Setting<T | undefined> => ({
  name,
  example,
  optional: true,
  parse,
});
export const withDefault = <T>(
  name: string,
  fallback: string,
  example: string,
  parse: Parse<T>,
): Setting<T> => ({ name, example, fallback, parse });

export type Declared = Readonly<Record<string, Setting<unknown>>>;
type Read<D extends Declared> = { readonly [Key in keyof D]: D[Key] extends Setting<infer T> ? T : never };

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from the environment, each as `NAME` or from the file that `NAME_FILE` names.
 *
 * @throws SettingsError with every fault at once
 */
export function readSettings<D extends Declared>(
  declared: D,
  environment: Environment,
  readFile: (path: string) => string,
): Read<D> {
  const faults: string[] = [];
  const values = Object.entries(declared).map(([key, setting]) => {
    try {
      const text = textOf(setting, environment, readFile);
      return [key, text === undefined ? undefined : setting.parse(text, readFile)];
    } catch (error) {
      faults.push(`${setting.name} ${(error as Error).message}; for example: ${setting.example}`);
      return [key, undefined];
    }
  });
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.fromEntries(values) as Read<D>;
}

function textOf(
  { name, fallback, optional }: Setting<unknown>,
  environment: Environment,
  readFile: (path: string) => string,
): string | undefined {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct !== undefined && file !== undefined) throw new Error(`is given twice, also as ${name}_FILE`);
  const text = (file === undefined ? direct : readSecretFile(name, file, readFile)) ?? fallback;
  if (text === undefined && optional !== true) throw new Error("is missing");
  if (text === "") throw new Error("is empty");
  return text;
}

function readSecretFile(name: string, path: string, readFile: (path: string) => string): string {
  let text: string;
  try {
    text = readFile(path).replace(/\r?\n$/, "");
  } catch {
    throw new Error(`cannot be read from the file that ${name}_FILE names`);
  }
  // What stands for bytes that are no UTF-8: a secret of random bytes would lose most of them.
  if (text.includes("\ufffd")) throw new Error(`is not UTF-8 text in the file that ${name}_FILE names`);
  return text;
}

import type { Setting } from "../config/read-settings.ts";
import { type Command, commands } from "./commands.ts";
import type { Option } from "./options.ts";

/** What one command takes, and the settings that it reads; the list of all commands for any other name. */
export async function helpOf(name: string, program = "node dist/main.js"): Promise<string> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return usageOf(program);
  const options = Object.entries(command.options ?? {});
  const declared = command.settings && (await import("../config/settings.ts"))[command.settings];
  const settings = Object.values<Setting<unknown>>(declared ?? {});
  return [
    `usage: ${[program, name, ...argumentsOf(command)].join(" ")}`,
    `${name}: ${command.summary}.\n${command.text}`,
    aligned(options.map(([name, option]) => [written(name, option), option.text])),
    settings.length > 0 ? "Settings, each also as NAME_FILE, a file whose content is the value:" : "",
    aligned(settings.map(setting => [setting.name, `${otherwise(setting)}; ${setting.about}`])),
  ]
    .filter(part => part !== "")
    .join("\n\n");
}

const written = (name: string, { value }: Option): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

const otherwise = ({ fallback, isOptional }: Setting<unknown>): string =>
  fallback === undefined ? (isOptional ? "optional" : "required") : `default ${fallback}`;

const argumentsOf = ({ argument = "", options = {} }: Command): readonly string[] => [
  ...(argument === "" ? [] : [argument]),
  ...Object.entries(options).map(([name, option]) => {
    const shown = written(name, option);
    return `${option.required ? shown : `[${shown}]`}${option.multiple ? "…" : ""}`;
  }),
];

const usageOf = (program: string): string =>
  [
    `usage: ${program} COMMAND`,
    aligned([
      ...Object.entries(commands).map(([name, { summary }]) => [name, summary] as const),
      ["--help", "print this; after a command, what it takes"],
      ["--version", "print the version"],
    ]),
    "Settings come from the environment: --help after a command lists them.",
  ].join("\n\n");

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  // What follows in further lines begins where the first line does.
  const line = ([name, text]: readonly [string, string]) =>
    `  ${name.padEnd(width)}  ${text.replaceAll("\n", `\n${" ".repeat(width + 4)}`)}`;
  return rows.map(line).join("\n");
}

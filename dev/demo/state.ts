import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Those that come to the ADMIN, so that there is one of each role. */
export const demoEmployees = [
  {
    role: "MANAGER",
    email: "manager@example.com",
    firstName: "Marta",
    lastName: "Lindqvist",
    phone: "+49 30 555 0102",
  },
  {
    role: "TECHNICIAN",
    email: "technician@example.com",
    firstName: "Tomas",
    lastName: "Berger",
    phone: "+49 30 555 0103",
  },
] as const;

export type DemoRole = (typeof demoEmployees)[number]["role"];

/** What a second `make demo` must know to write nothing twice. */
export interface DemoState {
  /** The day before which all logs were performed, `YYYY-MM-DD`. */
  readonly until: string;
  readonly passwords: Readonly<Record<DemoRole, string>>;
  readonly isWritten: boolean;
}

const fileOf = (folder: string): string => join(folder, "demo.json");

export function readDemoState(folder: string): DemoState | undefined {
  const file = fileOf(folder);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Error(`${file} is damaged. Move ${folder} away, and make demo begins with an empty database`);
  }
}

export function writeDemoState(folder: string, state: DemoState): void {
  writeFileSync(fileOf(folder), JSON.stringify(state), { mode: 0o600 });
}

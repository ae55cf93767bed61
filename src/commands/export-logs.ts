import { makeMaintenanceLogRepository } from "../adapters/postgres/repositories/maintenance-log-repository.ts";
import { type Chunk, elementsOf } from "../application/json-list.ts";
import { databaseSettings } from "../config/settings.ts";
import { logProperties, type MaintenanceLog } from "../domain/maintenance-log.ts";
import type { CommandContext } from "./command.ts";
import { withDatabase } from "./command-database.ts";
import { usageError } from "./options.ts";

/** How logs are written down: what comes before them, and the lines of a chunk, of which each is one log. */
interface Format {
  readonly head: string;
  linesOf(chunk: Chunk): string;
}

export const columns = Object.keys(logProperties) as readonly (keyof MaintenanceLog)[];

const csvLine = (values: readonly (string | number)[]): string => `${values.map(csvField).join(",")}\r\n`;

/** RFC 4180, section 2: what could be taken for a separator is quoted. */
function csvField(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csvLines = (chunk: Chunk): string =>
  elementsOf<MaintenanceLog>(chunk)
    .map(log => csvLine(columns.map(column => log[column])))
    .join("");

/** A chunk has `,{"id":` only between two logs, where the comma becomes a line end: in a text, JSON escapes the quotation marks. */
function jsonLines({ content }: Chunk): string {
  const text = Buffer.from(content).toString().replaceAll(',{"id":', '\n{"id":');
  return text === "" ? "" : `${text.replace(otherLineEnds, escapeOf)}\n`;
}

/** Some readers of lines end one at these, too. In JSON they can only be in a string. */
const otherLineEnds = /[\u0085\u2028\u2029]/g;
const escapeOf = (end: string): string => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`;

const formats: Readonly<Record<string, Format>> = {
  ndjson: { head: "", linesOf: jsonLines },
  csv: { head: csvLine(columns), linesOf: csvLines },
};

interface Values {
  readonly asset: string | undefined;
  readonly format: string;
}

/** `export-logs`: writes logs to standard output, one chunk at a time and at the pace of its reader. */
export async function runExportLogs(context: CommandContext, values: Values): Promise<void> {
  const { asset } = values;
  const format = Object.hasOwn(formats, values.format) ? formats[values.format] : undefined;
  if (format === undefined) throw usageError("--format is neither ndjson nor csv");
  if (asset !== undefined && !/^\d{1,15}$/.test(asset)) throw usageError("--asset is not the id of an asset");
  await withDatabase(databaseSettings, context, async database => {
    const logs = makeMaintenanceLogRepository(database);
    // Nothing is written where the list fails before its first chunk.
    let isBegun = false;
    for await (const chunk of asset === undefined ? logs.list({}) : logs.listOfAsset(Number(asset), {})) {
      if (!isBegun) await context.write(format.head);
      isBegun = true;
      await context.write(format.linesOf(chunk));
    }
  });
}

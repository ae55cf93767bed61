import { once } from "node:events";
import { createInterface } from "node:readline";
import { logLevels } from "../../src/adapters/json-event-log.ts";
import { isShown, type LogLine, readable } from "./log-lines.ts";
import { startProgram } from "./program.ts";

export interface Addresses {
  readonly api: string;
  readonly operations: string;
}

/**
 * Serves until it is stopped, and shows the lines of the log from LOG_LEVEL on: as text on a terminal, else as they are.
 *
 * @param introduce called once the service listens; what it throws ends the service
 * @returns the exit code
 */
export async function serve(
  environment: NodeJS.ProcessEnv,
  stop: AbortSignal,
  introduce: (addresses: Addresses) => Promise<void>,
): Promise<number> {
  const level = logLevels.find(known => known === environment["LOG_LEVEL"]);
  // From info on, since it is a line of the log that says where the service listens.
  const logged = level === undefined ? {} : { LOG_LEVEL: level === "debug" ? "debug" : "info" };
  const service = startProgram(["serve"], { ...environment, ...logged }, stop);
  let operations = "";
  let introduced: Promise<void> | undefined;
  let isIntroduced = false;
  let failure: unknown;
  createInterface({ input: service.stdout }).on("line", text => {
    const line = parsed(text);
    // The requests that write the demo records are no news.
    const isOwn = line?.event === "request" && !isIntroduced;
    if (!isOwn && (line === undefined || isShown(line, level ?? "info")))
      console.log(line !== undefined && process.stdout.isTTY ? readable(line) : text);
    if (line?.event === "operations listening") operations = addressOf(line);
    if (line?.event === "listening") {
      introduced = introduce({ api: addressOf(line), operations }).then(
        () => {
          isIntroduced = true;
        },
        error => {
          failure = error;
          service.kill("SIGTERM");
        },
      );
    }
  });
  const [code] = (await once(service, "close")) as [number | null];
  await introduced;
  if (failure !== undefined && !stop.aborted) throw failure;
  return code ?? 1;
}

const addressOf = ({ host, port }: LogLine): string =>
  `http://${String(host).includes(":") ? `[${host}]` : host}:${port}`;

function parsed(text: string): LogLine | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

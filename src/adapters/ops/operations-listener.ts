import { readFile } from "node:fs/promises";
import type { Readiness } from "./figures/readiness.ts";
import type { Reading } from "./figures/reading.ts";
import { watchRuntime } from "./figures/runtime.ts";
import { expositionType } from "./metrics/exposition.ts";
import { metricsText } from "./metrics/metrics.ts";
import { json, makeOpsServer, type OpsAnswer } from "./ops-server.ts";
import { policyOf } from "./page/html.ts";
import { statusPage } from "./page/status-page.ts";

const sampleMilliseconds = 10_000;
/** Of ten minutes, and the first of them all to compare with. */
const maxSamples = 61;

export interface Sources {
  /** Reads the figures of the service, without those of its process. */
  readonly figures: () => Omit<Reading, "runtime">;
  readonly readiness: () => Promise<Readiness>;
  /** The newest checkpoint, a signed note. */
  readonly checkpoint: () => string | undefined;
}

export type Operations = ReturnType<typeof makeOperations>;

/**
 * The operations listener: `/healthz`, `/readyz`, `/metrics`, and two pages for people: the service's state and the
 * reference of its API. It watches nothing before it listens.
 *
 * @param failed is called with the cause when an answer fails
 */
export function makeOperations(sources: Sources, failed: (cause: unknown) => void) {
  let watch: ReturnType<typeof watchRuntime> | undefined;
  let sampling: NodeJS.Timeout | undefined;
  const history: Reading[] = [];

  function read(): Reading {
    watch ??= watchRuntime();
    return { ...sources.figures(), runtime: watch.read() };
  }

  function sample(): void {
    history.push(read());
    if (history.length > maxSamples) history.shift();
  }

  const server = makeOpsServer(
    {
      "/": async () => {
        const readiness = await sources.readiness();
        return page(statusPage(readiness, read(), history));
      },
      // `make docs` makes it.
      "/api": async () => page(await readFile(new URL("../../../docs/api.html", import.meta.url), "utf8")),
      // Public by design: a kept checkpoint shows later whether the trail is still the same.
      "/checkpoint": () => {
        const note = sources.checkpoint();
        const type = "text/plain; charset=utf-8";
        return note === undefined
          ? { status: 404, type, text: "There is no checkpoint\n" }
          : { status: 200, type, text: note };
      },
      "/healthz": () => json(200, { status: "ok" }),
      "/readyz": async () => {
        const readiness = await sources.readiness();
        return json(readiness.ready ? 200 : 503, readiness);
      },
      "/metrics": async () => {
        const readiness = await sources.readiness();
        return { status: 200, type: expositionType, text: metricsText(read(), readiness) };
      },
    },
    failed,
  );

  return {
    /** Resolves to the port, which is chosen by the system when 0 is asked for. */
    async listen(port: number, host: string): Promise<number> {
      const chosen = await server.listen(port, host);
      sample();
      sampling = setInterval(sample, sampleMilliseconds).unref();
      return chosen;
    },

    async close(): Promise<void> {
      clearInterval(sampling);
      await server.close();
      watch?.close();
    },
  };
}

const page = (text: string): OpsAnswer => ({
  status: 200,
  type: "text/html; charset=utf-8",
  text,
  headers: ["Content-Security-Policy", policyOf(text), "Referrer-Policy", "no-referrer"],
});

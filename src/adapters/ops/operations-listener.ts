import { type Reading, type Sources, takeReading } from "./figures/reading.ts";
import { watchRuntime } from "./figures/runtime.ts";
import { expositionType } from "./metrics/exposition.ts";
import { metricsText } from "./metrics/metrics.ts";
import { json, makeOpsServer } from "./ops-server.ts";
import { statusPage, statusPagePolicy } from "./page/status-page.ts";

const sampleMilliseconds = 10_000;
/** Of ten minutes, and the first of them all to compare with. */
const maxSamples = 61;

export interface Operations {
  /** Resolves to the port, which is chosen by the system when 0 is asked for. */
  listen(port: number, host: string): Promise<number>;
  close(): Promise<void>;
}

/**
 * The operations listener: `/healthz`, `/readyz`, `/metrics` and a page for people. It watches nothing before it listens.
 *
 * @param failed is told what made an answer fail
 */
export function makeOperations(sources: Sources, failed: (cause: unknown) => void): Operations {
  let watch: ReturnType<typeof watchRuntime> | undefined;
  let sampling: NodeJS.Timeout | undefined;
  const history: Reading[] = [];
  // Once, since a clock that is put right must not look like a restart.
  const startedAtSeconds = Math.round(sources.now().getTime() / 1_000 - process.uptime());

  function read(): Reading {
    watch ??= watchRuntime();
    return takeReading(sources, startedAtSeconds, watch.read());
  }

  function sample(): void {
    history.push(read());
    if (history.length > maxSamples) history.shift();
  }

  const server = makeOpsServer(
    {
      "/": async () => {
        const readiness = await sources.readiness();
        return {
          status: 200,
          type: "text/html; charset=utf-8",
          text: statusPage(readiness, read(), history),
          headers: ["Content-Security-Policy", statusPagePolicy, "Referrer-Policy", "no-referrer"],
        };
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
    async listen(port, host) {
      const chosen = await server.listen(port, host);
      sample();
      sampling = setInterval(sample, sampleMilliseconds).unref();
      return chosen;
    },

    async close() {
      clearInterval(sampling);
      await server.close();
      watch?.close();
    },
  };
}

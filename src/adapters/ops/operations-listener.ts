import { jsonType } from "../protocol/error-response.ts";
import { readMade } from "../protocol/made-documents.ts";
import type { Readiness } from "./figures/readiness.ts";
import type { Reading } from "./figures/reading.ts";
import { watchRuntime } from "./figures/runtime.ts";
import { expositionType } from "./metrics/exposition.ts";
import { metricsText } from "./metrics/metrics.ts";
import { json, makeOpsServer, type OpsResponse } from "./ops-server.ts";
import { policyOf } from "./page/html.ts";
import { statusPage, statusPaths } from "./page/status-page.ts";

const sampleMilliseconds = 10_000;
/** Those of ten minutes, and one from before: each is compared with the sample before it. */
const maxSamples = 61;

export interface Sources {
  /** Reads the figures of the service, without those of its process. */
  readonly figures: () => Omit<Reading, "runtime">;
  readonly readiness: () => Promise<Readiness>;
  /** The newest checkpoint, a signed note. */
  readonly checkpoint: () => string | undefined;
  readonly apiAddress: () => string;
  readonly now: () => Date;
  readonly failed: (event: "operations request failed" | "figures not read", cause: unknown) => void;
}

/**
 * The operations listener: `/healthz`, `/readyz`, `/metrics`, the newest checkpoint, the API's description for
 * programs, and two pages for people: the service's state and the reference of its API.
 */
export function makeOperations(sources: Sources) {
  const readRuntime = watchRuntime();
  const read = (): Reading => ({ ...sources.figures(), runtime: readRuntime() });
  /** Of the last ten minutes, oldest first. */
  const samples: Reading[] = [];
  const sample = (): void => {
    try {
      samples.push(read());
      if (samples.length > maxSamples) samples.shift();
    } catch (error) {
      // Node may throw EMFILE: that leaves a gap, and does not end the process.
      sources.failed("figures not read", error);
    }
  };
  const status = async (path: string) => page(statusPage(path, await sources.readiness(), read(), samples));
  const server = makeOpsServer(
    {
      [statusPaths.refreshing]: () => status(statusPaths.refreshing),
      [statusPaths.still]: () => status(statusPaths.still),
      "/api": async () =>
        page((await readMade("api.html")).replaceAll("http://127.0.0.1:7070", sources.apiAddress())),
      "/openapi.json": async () => ({
        status: 200,
        // Tools in a browser load it from an origin of their own; it is the same for everybody.
        headers: { ...jsonType, "Access-Control-Allow-Origin": "*" },
        text: withServer(await readMade("openapi.json"), sources.apiAddress()),
      }),
      // Public by design: a kept checkpoint shows later whether the trail is still the same.
      "/checkpoint": () => {
        const note = sources.checkpoint();
        const [status, text] = note === undefined ? [404, "There is no checkpoint\n"] : [200, note];
        return { status, headers: { "Content-Type": "text/plain; charset=utf-8" }, text };
      },
      "/healthz": () => json(200, { status: "ok" }),
      "/readyz": async () => {
        const readiness = await sources.readiness();
        return json(readiness.ready ? 200 : 503, readiness);
      },
      "/metrics": async () => {
        const readiness = await sources.readiness();
        const text = metricsText(read(), readiness);
        return { status: 200, headers: { "Content-Type": expositionType }, text };
      },
    },
    cause => sources.failed("operations request failed", cause),
    sources.now,
  );

  return {
    /** Resolves to the port, which is chosen by the system when 0 is asked for. */
    async listen(port: number, host: string): Promise<number> {
      const chosen = await server.listen(port, host);
      sample();
      setInterval(sample, sampleMilliseconds).unref();
      return chosen;
    },

    close: server.close,
  };
}

/** The API has another address than this listener. */
const withServer = (document: string, url: string): string =>
  JSON.stringify({ ...JSON.parse(document), servers: [{ url }] }, undefined, 2);

const page = (text: string): OpsResponse => ({
  status: 200,
  headers: {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policyOf(text),
    "Referrer-Policy": "no-referrer",
  },
  text,
});

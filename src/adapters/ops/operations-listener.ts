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

/** The figures of now, and samples of the last ten minutes. It watches nothing before it is asked. */
class Figures {
  readonly samples: Reading[] = [];
  readonly #sources: Pick<Sources, "figures" | "failed">;
  #readRuntime: ReturnType<typeof watchRuntime> | undefined;

  constructor(sources: Pick<Sources, "figures" | "failed">) {
    this.#sources = sources;
  }

  read(): Reading {
    this.#readRuntime ??= watchRuntime();
    return { ...this.#sources.figures(), runtime: this.#readRuntime() };
  }

  /** A figure that cannot be read (Node may throw EMFILE) leaves a gap, and does not end the process. */
  sample(): void {
    try {
      this.samples.push(this.read());
      if (this.samples.length > maxSamples) this.samples.shift();
    } catch (error) {
      this.#sources.failed("figures not read", error);
    }
  }
}

/**
 * The operations listener: `/healthz`, `/readyz`, `/metrics`, the newest checkpoint, the API's description for
 * programs, and two pages for people: the service's state and the reference of its API. It watches nothing before it listens.
 */
export function makeOperations(sources: Sources) {
  const figures = new Figures(sources);
  const status = async (path: string) =>
    page(statusPage(path, await sources.readiness(), figures.read(), figures.samples));
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
        const text = metricsText(figures.read(), readiness);
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
      figures.sample();
      setInterval(() => figures.sample(), sampleMilliseconds).unref();
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

import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

export const noChromium = "Chromium is not installed (Debian package chromium)";

export function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":");
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what the protocol answers is looked at, not relied on
type Result = any;

export type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** A headless Chromium with one page, driven over the DevTools protocol through a pipe. */
export async function openBrowser(chromium: string) {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-browser-"));
  const browser = spawn(
    chromium,
    [
      "--headless=new",
      "--remote-debugging-pipe",
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      "--no-first-run",
      "--disable-background-networking",
      `--user-data-dir=${folder}`,
    ],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  const exited = once(browser, "exit");
  const [input, output] = [browser.stdio[3] as Writable, browser.stdio[4] as Readable];
  const answers = new Map<number, (answer: Result) => void>();
  const listeners = new Set<(method: string, params: Result) => void>();
  let sent = 0;
  let pending = "";

  // Messages are JSON, each ended by a NUL.
  output.setEncoding("utf8").on("data", (chunk: string) => {
    const messages = (pending + chunk).split("\0");
    pending = messages.pop() ?? "";
    for (const message of messages) {
      const { id, method, params, ...answer } = JSON.parse(message);
      if (id === undefined) for (const listener of listeners) listener(method, params);
      else answers.get(id)?.(answer);
    }
  });

  function send(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    sent += 1;
    const id = sent;
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => {
      answers.set(id, ({ result, error }) => {
        answers.delete(id);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
  }

  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const page = (method: string, params?: object) => send(method, params, sessionId);
  for (const domain of ["Page", "Runtime", "Log", "Audits"]) await page(`${domain}.enable`);

  return {
    /** Resolves when the page has loaded; answers what the browser complained of: console, network, security policy. */
    async open(url: string) {
      const complaints: string[] = [];
      const loaded = new Promise<void>(resolve => {
        listeners.add((method, params) => {
          if (method === "Page.loadEventFired") resolve();
          if (method === "Log.entryAdded") complaints.push(params.entry.text);
          if (method === "Runtime.exceptionThrown") complaints.push(params.exceptionDetails.text);
          if (method === "Runtime.consoleAPICalled") complaints.push(`console.${params.type}`);
          if (method === "Audits.issueAdded") complaints.push(params.issue.code);
        });
      });
      await page("Page.navigate", { url });
      await loaded;
      // Answered after what the page had to say until here.
      await page("Runtime.evaluate", {
        expression: "new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))",
        awaitPromise: true,
      });
      listeners.clear();
      return complaints;
    },

    /** The value of a JavaScript expression in the page. */
    async evaluate(expression: string): Promise<unknown> {
      return (await page("Runtime.evaluate", { expression, returnByValue: true })).result.value;
    },

    async setAppearance(width: number, scheme: "light" | "dark") {
      await page("Emulation.setDeviceMetricsOverride", {
        width,
        height: 800,
        deviceScaleFactor: 1,
        mobile: false,
      });
      await page("Emulation.setEmulatedMedia", {
        features: [{ name: "prefers-color-scheme", value: scheme }],
      });
    },

    /** The whole page as a PNG. */
    async screenshot() {
      const { cssContentSize: size } = await page("Page.getLayoutMetrics");
      const clip = { x: 0, y: 0, width: size.width, height: size.height, scale: 1 };
      const { data } = await page("Page.captureScreenshot", { clip, captureBeyondViewport: true });
      return Buffer.from(data, "base64");
    },

    async close() {
      await send("Browser.close");
      await exited;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

import { writeFileSync } from "node:fs";
import { makeOpsServer } from "../src/adapters/ops/ops-server.ts";
import { findChromium, noChromium, openBrowser } from "../test/support/browser.ts";
import { answerOf, makeBusyPage } from "../test/support/readings.ts";

/** Draws docs/status-page.png, of a service with made-up figures: `node --import tsx dev/screenshot.ts`. */
const chromium = findChromium();
if (chromium === undefined) throw new Error(noChromium);
const server = makeOpsServer({ "/": () => answerOf(makeBusyPage()) }, console.error);
const browser = await openBrowser(chromium);
await browser.setAppearance(1_100, "light");
await browser.open(`http://127.0.0.1:${await server.listen(0, "127.0.0.1")}/`);
writeFileSync("docs/status-page.png", await browser.screenshot());
await browser.close();
await server.close();

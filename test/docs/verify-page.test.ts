import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { withPolicy } from "../../dev/verify-page.ts";
import { type Browser, findChromium, noChromium, openBrowser } from "../support/browser.ts";
import { proofCases, verifierKey } from "../support/proof-cases.ts";
import { answeredLog, logEntry, makeTestTrail } from "../support/trail.ts";
import { until } from "../support/until.ts";

const path = "docs/verify.html";

describe("docs/verify.html", () => {
  const page = readFileSync(path, "utf8");

  test("has a policy that allows its own script and style alone; if not: node --import tsx dev/verify-page.ts", () => {
    assert.equal(page, withPolicy(page), "run `node --import tsx dev/verify-page.ts`");
    assert.match(
      page,
      /content="default-src 'none'; script-src 'sha256-[^';]+'; style-src 'sha256-[^';]+'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"/,
    );
  });

  test("says what to do without JavaScript", () => {
    assert.match(page, /<noscript>.*JavaScript is turned off.*check_trail\.py.*<\/noscript>/);
  });

  test("names nothing that is elsewhere", () => {
    assert.doesNotMatch(page, /https?:|\bsrc=|\bhref=|url\(|fetch\(|XMLHttpRequest|import\b/);
  });
});

const chromium = findChromium();

describe("docs/verify.html in a browser", { skip: chromium === undefined && noChromium }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser(chromium ?? "");
  });
  after(() => browser.close());

  const trail = makeTestTrail();
  for (let id = 1; id <= 11; id += 1) trail.add(logEntry(id));
  const log = answeredLog(logEntry(7));
  const proof = trail.proof(6);

  const open = () => browser.open(pathToFileURL(resolve(path)).href);
  const text = (selector: string) =>
    browser.evaluate(`document.querySelector("${selector}").innerText`) as Promise<string>;

  /** Types the key and drops the files, and answers what the page says in the end. */
  async function verify(key: string, ...files: readonly (string | Buffer)[]): Promise<string> {
    const contents = files.map(content => Buffer.from(content).toString("base64"));
    await browser.evaluate(`{
      const key = document.getElementById("key");
      key.value = ${JSON.stringify(key)};
      key.dispatchEvent(new Event("input"));
      const dataTransfer = new DataTransfer();
      for (const [at, content] of ${JSON.stringify(contents)}.entries()) {
        const bytes = Uint8Array.from(atob(content), character => character.charCodeAt(0));
        dataTransfer.items.add(new File([bytes], "given-" + at));
      }
      document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    return until(async () => {
      const said = await text("#result");
      return /^(Reading|Looking)/.test(said) ? "" : said;
    });
  }
  const colour = () => browser.evaluate("document.getElementById('result').className");

  test("accepts a log and its proof, in any order, without a complaint and without loading anything", async () => {
    for (const [files, judged] of [
      [[JSON.stringify(log), proof], "the log in given-0 by the proof in given-1"],
      [[proof, JSON.stringify(log)], "the log in given-1 by the proof in given-0"],
    ] as const) {
      assert.deepEqual(await open(), []);
      assert.equal(
        await verify(trail.vkey, ...files),
        "The log is as it was recorded.\n" +
          `Judged: ${judged}, which is of log 7.\n` +
          "Entry 6 of 11, under a checkpoint of example.com/log.\n" +
          "Recorded at 2026-01-08T09:00:00.000001Z.",
      );
      assert.equal(await browser.evaluate("document.querySelectorAll('#fields td.ok').length"), 8);
      assert.equal(await browser.evaluate("document.querySelectorAll('#fields td.bad').length"), 0);
      assert.match(await text("#fields"), /assetName\s+Pump\s+not recorded/);
      assert.equal(await browser.evaluate("performance.getEntriesByType('resource').length"), 0);
    }
  });

  test("names the fields that differ", async () => {
    await open();
    const changed = { ...log, status: "COMPLETED", comment: "<img src=x onerror=alert(1)>" };
    assert.match(
      await verify(trail.vkey, JSON.stringify(changed), proof),
      /^The log is not as it was recorded: status, comment\n/,
    );
    assert.equal(await browser.evaluate("document.querySelectorAll('#fields td.bad').length"), 2);
    assert.equal(await browser.evaluate("document.querySelectorAll('img').length"), 0);
  });

  test("compares what the API does not answer where the log has it", async () => {
    await open();
    const { kind, recordedAt } = logEntry(7);
    assert.match(
      await verify(trail.vkey, JSON.stringify({ ...log, kind, recordedAt }), proof),
      /^The log is as/,
    );
    for (const field of ["kind", "recordedAt"]) {
      const said = await verify(trail.vkey, JSON.stringify({ ...log, [field]: "x" }), proof);
      assert.ok(said.startsWith(`The log is not as it was recorded: ${field}\n`), said);
    }
  });

  test("says of each log and proof what the command says, in green or red", async () => {
    await open();
    for (const { name, log, proof, holds } of proofCases) {
      const said = await verify(verifierKey, log, proof);
      assert.equal(await colour(), `result ${holds ? "ok" : "bad"}`, `${name}: ${said}`);
      assert.equal(said.startsWith("The log is as it was recorded."), holds, `${name}: ${said}`);
    }
  });

  test("begins from nothing with each drop: no verdict is left of the files before", async () => {
    await open();
    const forged = JSON.stringify({ ...log, status: "COMPLETED" });
    const good = [JSON.stringify(log), proof];
    for (const [files, said, state] of [
      [[forged, "a folder, or whatever else"], /^given-1 is neither a log in JSON nor a proof\./, "bad"],
      [[forged, JSON.stringify(log)], /^given-0 and given-1 are both a log/, "bad"],
      [[proof, proof], /^given-0 and given-1 are both a proof/, "bad"],
      [[], /^No file was dropped/, "bad"],
      [[forged], /^Only a log is here: given-0/, ""],
      [[proof], /^Only a proof is here: given-0/, ""],
    ] as const) {
      assert.match(await verify(trail.vkey, ...good), /^The log is as/);
      assert.match(await verify(trail.vkey, ...files), said);
      assert.equal(String(await colour()).trim(), `result ${state}`.trim());
      assert.equal(await browser.evaluate("document.getElementById('fields').hidden"), true);
    }
    // As a folder is: its bytes cannot be read.
    await verify(trail.vkey, ...good);
    await browser.evaluate("take([{ name: 'folder', arrayBuffer: () => Promise.reject(new Error()) }])");
    assert.match(await text("#result"), /^folder cannot be read/);
    assert.equal(await colour(), "result bad");
    // A refusal needs no key.
    assert.match(await verify("", "{"), /^given-0 is neither/);
    assert.equal(await colour(), "result bad");
  });

  test("refuses a key, a proof or a log that is not right", async () => {
    const other = makeTestTrail("other.example");
    other.add(logEntry(7));
    const employee = makeTestTrail();
    employee.add({ kind: "employee", id: 1, role: "ADMIN", active: true, changedBy: null, recordedAt: null });
    await open();
    const withEntry = (entry: string) =>
      proof.replace(/^extra .*$/m, `extra ${Buffer.from(entry).toString("base64")}`);
    for (const [key, given, said] of [
      [trail.vkey, proof.replace("index 6", "index 11"), "The proof does not hold."],
      [trail.vkey, proof.replace(/(index 6\n)[^\n]*\n/, "$1"), "The proof does not hold."],
      [trail.vkey, proof.replace(/(index 6\n)([^\n]*\n)/, "$1$2$2"), "The proof does not hold."],
      [trail.vkey, withEntry(trail.export().split("\n")[7] as string), "The proof does not hold."],
      [trail.vkey, proof.replace("\n11\n", "\n12\n"), "The signature of the checkpoint is wrong."],
      [trail.vkey, other.proof(0), "The checkpoint is not signed by this key."],
      [trail.vkey, employee.proof(0), "The proof is of an entry that is not a log."],
      [trail.vkey, proof.replace("index 6", "index x"), "The proof is malformed."],
      [other.vkey, proof, "The checkpoint is not signed by this key."],
      ["example.com/log", proof, "The key is not of the form NAME+KEYID+KEY."],
      [trail.vkey.replace(/.$/, "A"), proof, "The key was not copied whole: its key ID does not fit."],
    ] as const)
      assert.equal((await verify(key, JSON.stringify(log), given)).split("\n")[0], said);
  });

  test("fits a window 375 pixels wide, with an answer on it", async () => {
    await browser.setAppearance(375, "light");
    await open();
    const long = { ...log, comment: "x".repeat(500), unknown: "y".repeat(500) };
    await verify(trail.vkey, JSON.stringify(long), proof);
    assert.equal(await browser.evaluate("document.documentElement.scrollWidth"), 375);
  });

  test("is light or dark as its reader likes", async () => {
    for (const [scheme, background] of [
      ["light", "rgb(246, 248, 250)"],
      ["dark", "rgb(13, 17, 23)"],
    ] as const) {
      await browser.setAppearance(1_280, scheme);
      await open();
      assert.equal(await browser.evaluate("getComputedStyle(document.body).backgroundColor"), background);
    }
  });

  test("runs no script but its own", async () => {
    await open();
    const ran = await browser.evaluate(`{
      let blocked = "";
      try { document.body.innerHTML = "<p>"; } catch (error) { blocked = error.name; }
      blocked;
    }`);
    assert.equal(ran, "TypeError");
  });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { makeOpsServer } from "../../src/adapters/ops/ops-server.ts";
import { policyOf } from "../../src/adapters/ops/page/html.ts";
import { type Browser, findChromium, noChromium, openBrowser } from "../support/browser.ts";
import { answerOf, makeBusyPage } from "../support/readings.ts";

const chromium = findChromium();
const reference = readFileSync("docs/api.html", "utf8");
const withPolicy = (text: string, policy: string) => {
  const { headers, ...answer } = answerOf(text);
  return { ...answer, headers: { ...headers, "Content-Security-Policy": policy } };
};

/** Everything that the page's policy forbids, so that the test is known to notice. */
const broken = makeBusyPage()
  .replace("</body>", "<script>document.title = 'run'</script></body>")
  .replace("<main>", '<main style="color: red"><img src="/metrics" alt="">');

describe("the status page in a browser", { skip: chromium === undefined && noChromium }, () => {
  const server = makeOpsServer(
    {
      "/": () => answerOf(makeBusyPage()),
      "/still": () => answerOf(makeBusyPage("/still")),
      "/broken": () => answerOf(broken),
      "/api": () => withPolicy(reference, policyOf(reference)),
    },
    () => {},
    () => new Date(),
  );
  let browser: Browser;
  let origin: string;
  before(async () => {
    browser = await openBrowser(chromium ?? "");
    origin = `http://127.0.0.1:${await server.listen(0, "127.0.0.1")}`;
  });
  after(async () => {
    await browser.close();
    await server.close();
  });

  test("is shown without a complaint, and has loaded its style", async () => {
    assert.deepEqual(await browser.open(`${origin}/`), []);
    assert.equal(await browser.evaluate("document.title"), "Ready: Maintenance Log Service");
    assert.equal(await browser.evaluate("document.querySelectorAll('.card').length"), 11);
    assert.equal(
      await browser.evaluate("getComputedStyle(document.querySelector('.cards')).display"),
      "grid",
    );
    assert.equal(
      await browser.evaluate(
        "performance.getEntriesByType('resource').filter(({ name }) => name.startsWith('http')).length",
      ),
      0,
    );
  });

  test("shows every figure of a route on a telephone", async () => {
    await browser.setAppearance(390, "light");
    await browser.open(`${origin}/`);
    const overflow = (selector: string) =>
      browser.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(${selector})`);
    assert.equal(await overflow("document.querySelector('.wide')"), 0);
    assert.equal(await overflow("document.documentElement"), 0);
    const shown =
      "[...document.querySelectorAll('th')].filter(th => th.offsetWidth > 0).map(th => th.innerText).join()";
    assert.equal(await browser.evaluate(shown), "Method,Route,Rate,5xx,p50,p99");
    await browser.open(`${origin}/api`);
    const gap =
      "document.querySelector('main .card').getBoundingClientRect().top - document.querySelector('.contents').getBoundingClientRect().bottom";
    assert.ok(Number(await browser.evaluate(gap)) > 5);
    await browser.setAppearance(1_100, "light");
  });

  test("what the policy forbids is refused by the browser, which complains", async () => {
    const complaints = await browser.open(`${origin}/broken`);
    for (const what of [/inline script/, /inline style/, /image/]) {
      assert.ok(
        complaints.some(complaint => what.test(complaint)),
        `${what} in ${complaints.join("\n")}`,
      );
    }
    assert.notEqual(await browser.evaluate("document.title"), "run");
  });

  test("can be kept from refreshing, by a link without a script", async () => {
    const refreshes = "document.querySelector('meta[http-equiv=refresh]') !== null";
    await browser.open(`${origin}/`);
    assert.equal(await browser.evaluate(refreshes), true);
    const stop = String(await browser.evaluate("document.querySelector('header a').href"));
    await browser.open(stop);
    assert.equal(await browser.evaluate(refreshes), false);
    assert.equal(await browser.evaluate("document.querySelector('header a').href"), `${origin}/`);
  });

  test("the page of the API tells links from text by more than colour, and its contents are easy to hit", async () => {
    await browser.setAppearance(1_280, "dark");
    await browser.open(`${origin}/api`);
    const plain =
      "[...document.querySelectorAll('main a, header a')].filter(a => getComputedStyle(a).textDecorationLine !== 'underline').length";
    assert.equal(await browser.evaluate(plain), 0);
    const heights = "[...document.querySelectorAll('nav a')].map(a => a.getBoundingClientRect().height)";
    // WCAG 2.5.8: 24 pixels.
    assert.ok(Number(await browser.evaluate(`Math.min(...${heights})`)) >= 24);
  });

  for (const width of [360, 375, 1_280]) {
    test(`fits a window ${width} pixels wide, as all pages do`, async () => {
      await browser.setAppearance(width, "light");
      for (const path of ["/", "/api"]) {
        await browser.open(origin + path);
        assert.equal(await browser.evaluate("document.documentElement.scrollWidth"), width, path);
      }
    });
  }

  test("the page of the API is shown without a complaint, in the dark too, with contents that suit the width", async () => {
    for (const [width, scheme, isWide] of [
      [1_280, "light", true],
      [375, "dark", false],
    ] as const) {
      await browser.setAppearance(width, scheme);
      assert.deepEqual(await browser.open(`${origin}/api`), []);
      const isShown = (selector: string) =>
        browser.evaluate(`document.querySelector("${selector}").getBoundingClientRect().height > 10`);
      // Beside the operations, or below them with a link at the top.
      const isBeside = await browser.evaluate(
        "document.querySelector('nav').getBoundingClientRect().top < 300",
      );
      assert.deepEqual([isBeside, await isShown(".contents")], [isWide, !isWide]);
      assert.equal(
        await browser.evaluate("getComputedStyle(document.querySelector('.command')).userSelect"),
        "all",
      );
      assert.ok(Number(await browser.evaluate("document.querySelectorAll('article').length")) > 40);
    }
  });

  test("is light or dark as its reader likes, with text that stands out", async () => {
    const lightness = (element: string, property: string) =>
      browser.evaluate(
        `getComputedStyle(document.querySelector("${element}")).${property}.match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 765`,
      ) as Promise<number>;
    for (const scheme of ["light", "dark"] as const) {
      await browser.setAppearance(1_280, scheme);
      await browser.open(`${origin}/`);
      const [page, ink] = [await lightness("body", "backgroundColor"), await lightness("h1", "color")];
      assert.ok(
        scheme === "light" ? page > 0.9 && ink < 0.3 : page < 0.1 && ink > 0.7,
        `${scheme} ${page} ${ink}`,
      );
    }
  });

  test("draws its bars and columns with a size", async () => {
    await browser.setAppearance(1_280, "light");
    await browser.open(`${origin}/`);
    for (const selector of [".chart .answered", ".chart .failed", ".bar .fill"]) {
      const expression = `[...document.querySelectorAll("${selector}")].some(each => { const { width, height } = each.getBoundingClientRect(); return width > 2 && height > 2; })`;
      assert.equal(await browser.evaluate(expression), true, selector);
    }
  });
});

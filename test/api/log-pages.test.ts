import assert from "node:assert/strict";
import { test } from "node:test";
import { compareNewestFirst, type MaintenanceLog } from "../../src/domain/maintenance-log.ts";
import { callerOf } from "../support/by-admin.ts";
import type { Answer } from "../support/client.ts";
import { aLog, anAsset } from "../support/test-records.ts";
import { api, describeInWorlds } from "../support/world.ts";

/** The target of the link to the next page (RFC 8288), the same by RFC 3986 and by RFC 2396; undefined on the last one. */
function nextOf({ headers }: Answer, path: string): string | undefined {
  const reference = /^<([^<>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
  if (reference === undefined) return undefined;
  const { pathname, search } = new URL(reference, `http://x${path}`);
  // RFC 2396, section 5.2, which drops the last segment of the base even for a query alone.
  const folder = path.replace(/\?.*/, "").replace(/[^/]*$/, "");
  assert.equal(folder + reference, pathname + search);
  return pathname + search;
}

describeInWorlds("pages of logs", async world => {
  const { id: assetId } = await world.ports.assets.insert(anAsset({ name: "Boiler" }));
  const get = (path: string) => world.call("GET", path, { token: world.tokens.MANAGER });
  const statuses = ["PENDING", "COMPLETED", "CANCELLED"] as const;

  /** Five logs share each moment. */
  async function write(i: number): Promise<void> {
    const body = aLog({
      performedDate: `2026-03-0${1 + (i % 5)}T08:00:00.5`,
      status: statuses[i % 3] ?? "PENDING",
      taskType: i % 2 === 0 ? "ERROR" : "MAINTENANCE",
      comment: `${i}`,
    });
    const path = `${api}/assets/${assetId}/logs`;
    const { status } = await world.call("POST", path, { token: world.tokens.TECHNICIAN, body });
    assert.equal(status, 201);
  }
  for (let i = 0; i < 25; i += 1) await write(i);

  async function walk(path: string, onPage: (page: readonly MaintenanceLog[]) => unknown = () => {}) {
    const rows: MaintenanceLog[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const answer: Answer = await get(next);
      assert.equal(answer.status, 200, answer.text);
      await onPage(answer.json);
      rows.push(...answer.json);
      next = nextOf(answer, next);
    }
    return rows;
  }

  const lists = () => [
    `${api}/logs`,
    `${api}/assets/${assetId}/logs`,
    `${api}/logs/employee/${world.employees.TECHNICIAN.id}`,
  ];

  test("lists are newest first, narrowed as asked, and their pages are the list, of whatever size", async () => {
    for (const list of lists()) {
      const everything: readonly MaintenanceLog[] = (await get(list)).json;
      assert.deepEqual(everything, everything.toSorted(compareNewestFirst));
      for (const [filter, passes] of [
        ["", () => true],
        ["&taskType=ERROR", ({ taskType }) => taskType === "ERROR"],
        [
          "&status=PENDING&performedFrom=2026-03-02T08:00:00.5&performedTo=2026-03-04T08:00:00.5",
          ({ status, performedDate }) => status === "PENDING" && /-0[23]T/.test(performedDate),
        ],
      ] as readonly [string, (log: MaintenanceLog) => boolean][]) {
        const answer = await get(`${list}?${filter}`);
        assert.equal(answer.headers.get("link"), null);
        const whole: readonly MaintenanceLog[] = answer.json;
        assert.ok(whole.length > 1);
        assert.deepEqual(whole, everything.filter(passes), `${list} ${filter}`);
        for (const limit of [1, 4, whole.length - 1, whole.length, whole.length + 1, 1_000]) {
          const sizes: number[] = [];
          const walked = await walk(`${list}?limit=${limit}${filter}`, page => sizes.push(page.length));
          assert.deepEqual(walked, whole, `${list} ${limit} ${filter}`);
          const full: number = Math.ceil(whole.length / limit) - 1;
          assert.deepEqual(sizes, [...Array(full).fill(limit), whole.length - full * limit]);
        }
      }
    }
  });

  test("a cursor without a limit answers all that is left, and HEAD names the next page too", async () => {
    const first = await get(`${api}/logs?limit=10`);
    const before = new URL(nextOf(first, "/") ?? "", "http://x").searchParams.get("before");
    const whole = (await get(`${api}/logs`)).json;
    assert.deepEqual((await get(`${api}/logs?before=${before}`)).json, whole.slice(10));
    const head = await world.call("HEAD", `${api}/logs?limit=10`, { token: world.tokens.MANAGER });
    assert.deepEqual([head.headers.get("link"), head.text], [first.headers.get("link"), ""]);
  });

  test("a walk while logs are written misses none that were there at the start, and doubles none", async () => {
    for (const list of lists()) {
      const atStart: readonly MaintenanceLog[] = (await get(list)).json;
      const writing: Promise<void>[] = [];
      let written = 0;
      const walked = await walk(`${list}?limit=4`, () => {
        for (let i = 0; i < 3; i += 1) writing.push(write(written++));
      });
      await Promise.all(writing);
      const ids = walked.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, "doubled");
      const startIds = new Set(atStart.map(({ id }) => id));
      assert.deepEqual(
        walked.filter(({ id }) => startIds.has(id)),
        atStart,
      );
    }
  });

  test("active-assets can be narrowed like the other lists, before its limit counts", async () => {
    const filter =
      "taskType=ERROR&status=COMPLETED&performedFrom=2026-03-02T00:00&performedTo=2026-03-05T00:00";
    const matching = (await get(`${api}/logs?${filter}`)).json;
    assert.ok(matching.length > 1);
    const path = `${api}/logs/active-assets?${filter}`;
    assert.deepEqual((await get(`${path}&limit=3`)).json, matching.slice(0, 3));
  });

  test("an invalid page or period is 400, before the list is looked for", async () => {
    const cursor = (text: string) => Buffer.from(text).toString("base64url");
    const good = cursor("2026-03-01T08:00:00 7");
    const ofLargestId = cursor("2026-03-01T08:00:00 4503599627370495");
    const form = "write YYYY-MM-DDTHH:MM[:SS[.ffffff]], without a zone";
    const unknown = [`${api}/assets/999999/logs`, `${api}/logs/employee/999999`];
    for (const list of [...lists(), ...unknown]) {
      for (const before of [good, ofLargestId])
        assert.notEqual((await get(`${list}?before=${before}`)).status, 400);
      for (const [query, msg] of [
        ["status=pending", "Invalid status value"],
        ["taskType=", "Invalid task type value"],
        ...["0", "1001", "5&limit=5"].map(limit => [`limit=${limit}`, "Invalid limit value"] as const),
        ...[
          "",
          `${good}=`,
          `${good}&before=${good}`,
          cursor("2026-02-30T08:00:00 7"),
          cursor("2026-03-01T08:00:00 07"),
          cursor("2026-03-01T08:00:00 12345678901234568"),
        ].map(before => [`before=${before}`, "Invalid before value"] as const),
        ["performedFrom=2026-03-01", `Invalid performedFrom value: ${form}`],
        ["performedTo=2026-03-01T00:00Z", `Invalid performedTo value: ${form}`],
      ] as const) {
        const answer = await get(`${list}?${query}`);
        assert.deepEqual([answer.status, answer.json], [400, { status: 400, msg }], `${list} ${query}`);
      }
    }
  });

  test("a page of what does not exist is 404", async () => {
    for (const [list, msg] of [
      [`${api}/assets/999999/logs`, "Asset not found"],
      [`${api}/logs/employee/999999`, "Employee not found"],
    ] as const) {
      const answer = await get(`${list}?limit=5`);
      assert.deepEqual([answer.status, answer.json], [404, { status: 404, msg }]);
    }
  });

  test("a page of very long logs ends before its limit, and the links still lead to all of them", async () => {
    const asset = await world.ports.assets.insert(anAsset({ name: "Mill" }));
    const performer = callerOf(world.employees.TECHNICIAN);
    const log = aLog({ comment: "x".repeat(10_000) });
    const write = () => world.ports.maintenanceLogs.append(asset.id, performer, log);
    await Promise.all(Array.from({ length: 150 }, write));
    const sizes: number[] = [];
    const rows = await walk(`${api}/assets/${asset.id}/logs?limit=1000`, page => sizes.push(page.length));
    assert.equal(new Set(rows.map(({ id }) => id)).size, 150);
    assert.equal(rows.length, 150);
    assert.ok(sizes.length > 1, `pages of ${sizes} logs`);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LogLevel, logLevels, makeJsonEventLog } from "../../../src/adapters/json-event-log.ts";
import { makeFakeClock } from "../../fakes/fake-clock.ts";

function makeLog(lowest: LogLevel = "debug") {
  const lines: string[] = [];
  const clock = makeFakeClock("2026-03-01T12:00:00Z");
  return { lines, clock, events: makeJsonEventLog(lowest, clock, line => lines.push(line)) };
}

describe("an event in the process's own log", () => {
  test("is one JSON object on a line of its own, with time, level, event and details", () => {
    const { lines, events } = makeLog();
    events.info("listening", { host: "127.0.0.1", port: 7070, ready: true });
    assert.equal(lines.length, 1);
    assert.deepEqual(JSON.parse(lines[0] ?? ""), {
      time: "2026-03-01T12:00:00.000Z",
      level: "info",
      event: "listening",
      host: "127.0.0.1",
      port: 7070,
      ready: true,
    });
    assert.match(lines[0] ?? "", /^[^\n]+\n$/);
  });

  test("has the time at which it happened", () => {
    const { lines, clock, events } = makeLog();
    events.info("first");
    clock.advance(1.5);
    events.info("second");
    const times = lines.map(line => JSON.parse(line).time);
    assert.deepEqual(times, ["2026-03-01T12:00:00.000Z", "2026-03-01T12:00:01.500Z"]);
  });

  test("leaves out details that are undefined", () => {
    const { lines, events } = makeLog();
    events.warn("request failed", { status: 503, code: undefined });
    assert.deepEqual(Object.keys(JSON.parse(lines[0] ?? "")), ["time", "level", "event", "status"]);
  });

  for (const value of ['a\n{"level":"error"}', "a\r\nb", "a\u0000\u001b[31mb", 'quote " and \\']) {
    test(`cannot be forged by ${JSON.stringify(value)}`, () => {
      const { lines, events } = makeLog();
      events.info(value, { path: value });
      assert.equal(lines.length, 1);
      const [line = ""] = lines;
      const controls = [...line.slice(0, -1)].filter(character => character < " ");
      assert.deepEqual(controls, []);
      assert.equal(line.at(-1), "\n");
      const { event, path } = JSON.parse(line);
      assert.deepEqual([event, path], [value, value]);
    });
  }
});

describe("the lowest level", () => {
  const written: readonly (readonly [LogLevel, readonly LogLevel[]])[] = [
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
  ];
  for (const [lowest, expected] of written) {
    test(`${lowest} writes ${expected.join(", ")} and nothing else`, () => {
      const { lines, events } = makeLog(lowest);
      for (const level of logLevels) events[level]("something happened");
      assert.deepEqual(
        lines.map(line => JSON.parse(line).level),
        expected,
      );
    });
  }
});

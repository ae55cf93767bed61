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
    const { lines, clock, events } = makeLog();
    clock.advance(1.5);
    events.info("listening", { host: "127.0.0.1", port: 7070, ready: true, code: undefined });
    assert.equal(lines.length, 1);
    assert.deepEqual(JSON.parse(lines[0] ?? ""), {
      time: "2026-03-01T12:00:01.500Z",
      level: "info",
      event: "listening",
      host: "127.0.0.1",
      port: 7070,
      ready: true,
    });
    assert.match(lines[0] ?? "", /^[^\n]+\n$/);
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
  for (const [place, lowest] of logLevels.entries())
    test(`${lowest} is written, and what is graver, and nothing else`, () => {
      const { lines, events } = makeLog(lowest);
      for (const level of logLevels) events[level]("something happened");
      const levels = lines.map(line => JSON.parse(line).level);
      assert.deepEqual(levels, ["debug", "info", "warn", "error"].slice(place));
    });
});

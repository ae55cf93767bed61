import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

const label = '[a-zA-Z_]\\w*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const sampleLine = new RegExp(
  `^(([a-zA-Z_:][\\w:]*)(?:\\{${label}(?:,${label})*\\})?) ([+-]?(?:\\d[\\d.]*(?:e[+-]?\\d+)?|Inf)|NaN)$`,
);

/**
 * Reads the Prometheus text format 0.0.4 strictly: each sample, by its name with its labels as they are written. Fails on
 * a line that is not of the format, on a sample without the type of its family just above, and on one that comes twice.
 */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  assert.ok(text.endsWith("\n"));
  const samples = new Map<string, number>();
  const families = new Set<string>();
  let [family, type] = ["", ""];
  for (const line of text.slice(0, -1).split("\n")) {
    const head = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line);
    if (head?.[1] === "HELP") {
      family = head[2] ?? "";
      assert.ok(!families.has(family), `${family} comes twice`);
      families.add(family);
    } else if (head !== null) {
      assert.equal(head[2], family);
      type = head[3] ?? "";
      assert.match(type, /^(counter|gauge|histogram)$/);
    } else {
      const [, key = "", name = "", value = ""] = sampleLine.exec(line) ?? [];
      const suffix = type === "histogram" ? /_(bucket|sum|count)$/ : /$^/;
      assert.equal(name.replace(suffix, ""), family, `unexpected line: ${line}`);
      assert.ok(!samples.has(key), `${key} comes twice`);
      samples.set(key, Number(value.replace("Inf", "Infinity")));
    }
  }
  return samples;
}

/** What promtool, Prometheus's own checker, says; undefined on a machine without it. */
export function runPromtool(args: readonly string[], input = "") {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  return error === undefined ? { status, output: stdout + stderr } : undefined;
}

export const noPromtool = "promtool is not installed (Debian package prometheus)";

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { testsOfPromises } from "../release/evidence.ts";
import { plantedFaults } from "../release/planted-faults.ts";
import { pathOf, readPromiseRows } from "../support/promise-rows.ts";

const rows = readPromiseRows();
const faultsOf = (promise: string) =>
  Object.entries(plantedFaults).flatMap(([beginning, faults]) =>
    promise.startsWith(beginning) ? faults : [],
  );
/** What the files of test/contract/ call. */
const contracts = ["test/contract/repositories.ts", "test/contract/trail.ts"];

/** The titles of a file's tests, with anything in place of what varies. */
const titlesIn = (file: string): RegExp[] =>
  [...readFileSync(file, "utf8").matchAll(/\btest\(\s*(["`])(.*?)\1,/gs)].map(([, , title = ""]) => {
    const pattern = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\\\$\\\{.*?\\\}/g, ".+");
    return new RegExp(`^${pattern}$`);
  });

describe("the planted faults (test/release/promises.test.ts plants them)", () => {
  test("are of each promise of SECURITY.md, and of no other", () => {
    assert.ok(rows.length > 40);
    assert.deepEqual(
      rows.filter(({ promise }) => faultsOf(promise).length === 0),
      [],
      "add a fault for each of these promises to test/release/planted-faults.ts",
    );
    const others = Object.keys(plantedFaults).filter(
      beginning => rows.filter(({ promise }) => promise.startsWith(beginning)).length !== 1,
    );
    assert.deepEqual(
      others,
      [],
      "give each of these in planted-faults.ts the beginning of one row of SECURITY.md",
    );
  });

  test("have evidence, each of them and nothing else", () => {
    assert.deepEqual(Object.keys(testsOfPromises).toSorted(), Object.keys(plantedFaults).toSorted());
  });

  test("each change a text that is there once", () => {
    const wrong = Object.values(plantedFaults)
      .flat()
      .filter(([file, text, replacement]) => {
        const parts = readFileSync(pathOf(file), "utf8").split(text).length;
        return parts !== 2 || text === replacement;
      });
    // A line that was edited innocently is here too: then its fault is to be written anew in the list.
    assert.deepEqual(
      wrong,
      [],
      "each text of test/release/planted-faults.ts has to be once in its file: was it edited?",
    );
  });

  test("name tests that the evidence of their promise has", () => {
    const wrong = rows.flatMap(({ promise, testedIn }) => {
      const titles = [...testedIn, ...contracts].flatMap(titlesIn);
      return faultsOf(promise)
        .flatMap(([, , , soonest]) => soonest ?? [])
        .filter(soonest => !titles.some(title => title.test(soonest)));
    });
    assert.deepEqual(wrong, [], "name a test of a file that the row of SECURITY.md names");
  });

  test("are of promises that have a test", () => {
    for (const { promise, testedIn } of rows) assert.ok(testedIn.length > 0, promise);
  });
});

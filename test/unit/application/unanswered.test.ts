import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compareDatabases, type RestoreStore } from "../../../src/application/restoring.ts";
import { TrailObstacleError } from "../../../src/application/trail/condition.ts";
import { acceptTrail } from "../../../src/application/trail/signing.ts";
import { readCheckpoint } from "../../../src/domain/trail/checkpoint.ts";
import {
  key,
  logRecord,
  makeMemoryNote,
  makeTrailOn,
  makeTrailStage,
  range,
} from "../../support/trail-stage.ts";

/** Questions are counted over all ports, and the one of this number gets no answer. */
function makeOutage(failing: number, error: Error) {
  let asked = 0;
  const among = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(_, name) {
        const found: unknown = Reflect.get(port, name);
        if (typeof found === "object" && found !== null) return among(found);
        if (typeof found !== "function") return found;
        return (...args: unknown[]): unknown => {
          asked += 1;
          return asked === failing ? Promise.reject(error) : found.apply(port, args);
        };
      },
    });
  return { among, hasFailed: () => asked >= failing };
}

/** Tries the work while its first question fails, then its second, and so on, until none does; returns how many there are. */
async function failEach(
  work: (among: <T extends object>(port: T) => T) => Promise<unknown>,
  error = new Error("no answer"),
): Promise<number> {
  for (let failing = 1; ; failing += 1) {
    const { among, hasFailed } = makeOutage(failing, error);
    const outcome = await work(among).then(
      () => "an answer",
      (error: Error) => error.message,
    );
    if (!hasFailed()) return failing - 1;
    assert.equal(outcome, "no answer", `question ${failing}`);
  }
}

async function makeSigned(logs: number, comment?: string) {
  const stage = makeTrailStage();
  const { stateFile, note } = makeMemoryNote();
  const process = makeTrailOn(stage, { stateFile });
  stage.records.log.push(...range(1, logs + 1).map(id => logRecord(id, comment)));
  await process.poll();
  return { ...stage, stateFile, note };
}

describe("a question that gets no answer", () => {
  test("is not taken for another history by a restore", async () => {
    const [live, restored, other] = [await makeSigned(40), await makeSigned(30), await makeSigned(50, "x")];
    const shorter = await makeSigned(45, "x");
    const store = ({ trail, note }: typeof live) =>
      ({
        trail: { ...trail, checkpoints: { ...trail.checkpoints, newest: () => Promise.resolve([note()]) } },
        recordHashes: () => Promise.resolve([]),
      }) as unknown as RestoreStore;
    const heads = [live, other, shorter].map(({ note }) => readCheckpoint(note() ?? ""));
    const asked = await failEach(among =>
      compareDatabases(among(store(restored)), among(store(live)), heads, key),
    );
    assert.ok(asked > 5, String(asked));
    const { lost, refused } = await compareDatabases(store(restored), store(live), heads, key);
    assert.deepEqual([lost.entry, refused.map(({ size }) => size)], [20, [40, 50, 45, 40]]);
  });

  test("is not taken for a contradiction that the operator accepts", async () => {
    const { trail, rewrite, stateFile, note } = await makeSigned(40);
    rewrite(3);
    const before = note();
    const accept = (ports: Partial<Parameters<typeof acceptTrail>[0]>) =>
      acceptTrail({ ...trail, stateFile, key, ...ports }, { reason: "restored", givesUp: 1 }).catch(error => {
        // Before it signs: it asks all there is to ask, and then refuses the number.
        if (!/ would be given up/.test(error.message)) throw error;
      });
    const asked = await failEach(among =>
      accept({ ...among(trail), ledger: among(trail.ledger), stateFile: among(stateFile) }),
    );
    assert.ok(asked > 5);
    // As a file fails that is there: the checkpoint of the database may be older.
    const unreadable = new TrailObstacleError("no answer", "failing");
    assert.equal(await failEach(among => accept({ stateFile: among(stateFile) }), unreadable), 2);
    assert.deepEqual([note(), trail.stored.acceptances], [before, []]);
  });
});

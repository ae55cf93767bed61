import assert from "node:assert/strict";
import type { World } from "./world.ts";

/** Deactivates what has this path, and activates it again, each twice: `isActive` asks which it is. */
export async function switchActivity(
  world: World,
  path: string,
  isActive: () => Promise<boolean>,
): Promise<void> {
  for (const [method, active] of [
    ["DELETE", false],
    ["DELETE", false],
    ["PATCH", true],
    ["PATCH", true],
  ] as const) {
    const answer = await world.call(method, path, { token: world.tokens.ADMIN });
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.equal(await isActive(), active);
  }
}

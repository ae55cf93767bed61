import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { everySetting, serveSettings } from "../../src/config/settings.ts";

describe("the settings", () => {
  const text = readFileSync("deploy/environment", "utf8");
  const given = [...text.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => ({
    name,
    value,
  }));

  test("of serve are all in deploy/environment", () => {
    const missing = Object.values(serveSettings).filter(({ name }) => !RegExp(`\\b${name}\\b`).test(text));
    assert.deepEqual(missing, [], "add these settings to deploy/environment");
  });

  test("in deploy/environment are declared ones, with their default or a right value", () => {
    assert.ok(given.length > 9);
    for (const { name, value } of given) {
      const setting = everySetting.find(one => one.name === name);
      assert.ok(setting, `${name} in deploy/environment is no setting`);
      assert.doesNotThrow(() => setting.parse(value), name);
    }
  });
});

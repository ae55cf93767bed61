import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatProof, readProof } from "../../../../src/domain/trail/proof.ts";

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const checkpoint = "example.com/log\n5\nAAAA\n\n— example.com/log AAAA\n";

describe("proofs", () => {
  test("are written in the form of C2SP tlog-proof@v1, and read back", () => {
    const proof = {
      entry: new TextEncoder().encode('{"id":1}'),
      index: 4,
      hashes: [hash(1), hash(2)],
      checkpoint,
    };
    const text = formatProof(proof);
    assert.equal(
      text,
      `c2sp.org/tlog-proof@v1
extra eyJpZCI6MX0=
index 4
AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=
AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=

${checkpoint}`,
    );
    assert.deepEqual(readProof(text), proof);
    const alone = { ...proof, index: 0, hashes: [] };
    assert.deepEqual(readProof(formatProof(alone)), alone);
  });

  /** The example of the C2SP document, with the hashes that it prints; its checkpoint is abridged there. */
  test("of the form of the C2SP document are read", () => {
    const text = `c2sp.org/tlog-proof@v1
extra YWdlLXYxLjIuMS1kYXJ3aW4tYXJtNjQudGFyLmd6
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs=
RoopEkOdqkYqMB4MJXrbt/hMjOxsVn0IrWjpz1ZMMes=
AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=

example.com/fancylog
109482
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

— example.com/fancylog hI2DJw1roloI=
— witness1.example mJirIklj9Y9v2B/5bg==
`;
    const proof = readProof(text);
    assert.deepEqual(
      [proof.index, proof.hashes.length, Buffer.from(proof.entry).toString()],
      [73_894, 5, "age-v1.2.1-darwin-arm64.tar.gz"],
    );
    assert.ok(proof.checkpoint.startsWith("example.com/fancylog\n109482\n"));
    assert.equal(formatProof(proof), text);
  });

  test("are refused in any other form", () => {
    const line = Buffer.from(hash(1)).toString("base64");
    const form = (...lines: string[]) => `${lines.join("\n")}\n\n${checkpoint}`;
    const head = "c2sp.org/tlog-proof@v1";
    for (const text of [
      "",
      form(head),
      form(head, "index 0"),
      form("c2sp.org/tlog-proof@v2", "extra AAAA", "index 0"),
      form(head, "extra AAAA"),
      form(head, "extra A", "index 0"),
      form(head, "other AAAA", "index 0"),
      form(head, "extra AAAA", "index 01"),
      form(head, "extra AAAA", "index -1"),
      form(head, "extra AAAA", "index 9007199254740993"),
      form(head, "extra AAAA", "index 0", "AAAA"),
      form(head, "extra AAAA", "index 0", ` ${line}`),
      form(head, "extra AAAA", "index 0", ...Array.from({ length: 64 }, () => line)),
      `${head}\nextra AAAA\nindex 0\n`,
      form(head, "extra AAAA", "index 0").replaceAll("\n", "\r\n"),
    ]) {
      assert.throws(() => readProof(text), { name: "TrailError" }, text);
    }
  });
});

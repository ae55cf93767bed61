import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A witness as C2SP tlog-cosignature describes it, by Node's own cryptography and nothing of the program. */
export function makeWitness(name: string, type = 4) {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } =
    generateKeyPairSync("ed25519");
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  const typed = Buffer.concat([Buffer.from([type]), raw]);
  const id = createHash("sha256").update(`${name}\n`).update(typed).digest().subarray(0, 4);
  return {
    name,
    vkey: `${name}+${id.toString("hex")}+${typed.toString("base64")}`,
    /** The line that it adds to a signed note. */
    cosign(note: string, time: number | bigint = 1_764_064_800) {
      const text = note.slice(0, note.indexOf("\n\n") + 1);
      const seconds = Buffer.alloc(8);
      seconds.writeBigUInt64BE(BigInt(time));
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), privateKey);
      return `\u2014 ${name} ${Buffer.concat([id, seconds, signature]).toString("base64")}\n`;
    },
  };
}

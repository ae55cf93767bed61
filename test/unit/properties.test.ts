import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, test } from "node:test";
import { listOrPage, logQueryFields } from "../../src/adapters/http/api/log-page.ts";
import { makeClientAddress } from "../../src/adapters/http/request/client-address.ts";
import { registrationFields } from "../../src/domain/employee.ts";
import { readLocalDateTime } from "../../src/domain/local-date-time.ts";
import type { LogPosition } from "../../src/domain/maintenance-log.ts";
import { between, makeRandom, pick, type Random } from "../lab/faults/random.ts";

/** Rules against a second statement of them, on random values that are the same in every run. */
function forAll<T>(times: number, make: (random: Random) => T, check: (value: T) => void): void {
  const random = makeRandom(20_240_517);
  for (let i = 0; i < times; i += 1) {
    const value = make(random);
    try {
      check(value);
    } catch (error) {
      throw new Error(`for ${JSON.stringify(value)}`, { cause: error });
    }
  }
}

const many = <T>(random: Random, low: number, high: number, make: () => T): T[] =>
  Array.from({ length: between(random, low, high) }, make);

const isTaken = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, "INVALID");
    return false;
  }
};

describe("a local date-time", () => {
  const digits = (value: number, width = 2) => String(value).padStart(width, "0");

  test("is taken when a calendar has it, and seen as it was sent but for its seconds", () => {
    const make = (random: Random) => {
      const year = pick(random, [0, 1, 1900, 2000, 2023, 2024, 9999]);
      const [month, day] = [between(random, 0, 13), between(random, 0, 32)];
      const [hour, minute, second] = [between(random, 0, 24), between(random, 0, 60), between(random, 0, 60)];
      const fraction = many(random, 0, 10, () => pick(random, [0, 0, 0, between(random, 1, 9)])).join("");
      return { parts: [year, month, day, hour, minute, second] as const, fraction };
    };
    forAll(20_000, make, ({ parts, fraction }) => {
      const [year, month, day, hour, minute, second] = parts;
      const sent = `${digits(year, 4)}-${digits(month)}-${digits(day)}T${digits(hour)}:${digits(minute)}:${digits(second)}`;
      const calendar = new Date(0);
      calendar.setUTCFullYear(year, month - 1, day);
      calendar.setUTCHours(hour, minute, second);
      const exists = year > 0 && calendar.toISOString() === `${sent}.000Z`;
      const text = fraction === "" ? sent : `${sent}.${fraction}`;
      assert.equal(
        isTaken(() => readLocalDateTime(text)),
        exists && fraction.length <= 9,
      );
      if (!exists || fraction.length > 9) return;
      const seen = readLocalDateTime(text);
      assert.equal(seen.slice(0, 19), sent);
      assert.equal(Number(`0${seen.slice(19)}`), Number(`0.${fraction.slice(0, 6)}0`));
      assert.doesNotMatch(seen, /\.\d*0$|\.$/);
    });
  });
});

describe("the fields of a record, after section 7 of the specification", () => {
  const characters = ["a", "é", "ß", "漢", "🔧", "7", "+", "(", "-", "@", ".", " ", "\t"] as const;
  const word = (longest: number) => (random: Random) =>
    many(random, 0, longest, () => pick(random, characters)).join("");
  const lengthOf = (sent: string) => Array.from(sent.trim()).length;

  test("phones have 6 to 20 characters: digits, +, (, ), - and whitespace", () => {
    forAll(20_000, word(22), sent => {
      const length = lengthOf(sent);
      const taken =
        length >= 6 && length <= 20 && [...sent.trim()].every(c => "0123456789+() \t-".includes(c));
      assert.equal(
        isTaken(() => registrationFields.phone.read(sent)),
        taken,
      );
    });
    const digitsOnly = (random: Random) =>
      many(random, 4, 22, () => pick(random, ["1", "+", " ", "(", "-"])).join("");
    forAll(5_000, digitsOnly, sent => {
      const length = lengthOf(sent);
      assert.equal(
        isTaken(() => registrationFields.phone.read(sent)),
        length >= 6 && length <= 20,
      );
    });
  });

  test("emails have one @ and after it a dot between other characters, no whitespace and at most 254 characters", () => {
    const make = (random: Random) => {
      const part = () =>
        pick(random, ["", "a", "b.c", "é", "🔧", " ", "@", "x".repeat(between(random, 100, 140))]);
      return `${part()}${part()}@${part()}${pick(random, [".", "", ".."])}${part()}`;
    };
    forAll(20_000, make, sent => {
      const email = sent.trim();
      const [local = "", domain = "", ...more] = email.split("@");
      const hasDot = [...domain].some((c, at) => c === "." && at > 0 && at < [...domain].length - 1);
      const taken = local !== "" && hasDot && more.length === 0 && !/\s/.test(email) && lengthOf(sent) <= 254;
      assert.equal(
        isTaken(() => registrationFields.email.read(sent)),
        taken,
      );
    });
  });
});

describe("a cursor", () => {
  const makePosition = (random: Random): LogPosition => {
    const date = `20${between(random, 10, 99)}-0${between(random, 1, 9)}-1${between(random, 0, 9)}T08:30:00`;
    const fraction = pick(random, ["", ".1", ".000001", ".123456"]);
    return { performedDate: date + fraction, id: between(random, 1, 10 ** between(random, 1, 15) - 1) };
  };
  const cursorOf = async (position: LogPosition): Promise<string> => {
    async function* list() {
      yield { json: Buffer.alloc(0), next: position };
      yield { json: Buffer.from("{}"), next: position };
    }
    const answer = await listOrPage("logs", { limit: 1 } as Parameters<typeof listOrPage>[1], list());
    return /before=([\w-]+)>/.exec(answer.headers["Link"] ?? "")?.[1] ?? "";
  };

  test("leads to the position that it was made for, and no change of it does", async () => {
    const random = makeRandom(7);
    const read = (cursor: string) => logQueryFields.before.read(cursor);
    for (let i = 0; i < 300; i += 1) {
      const position = makePosition(random);
      const cursor = await cursorOf(position);
      assert.deepEqual(read(cursor), position);
      const at = between(random, 0, cursor.length - 1);
      for (const changed of [
        cursor.slice(0, at) + pick(random, ["A", "_", "9", "="]) + cursor.slice(at + 1),
        cursor.slice(0, at) + cursor.slice(at + 1),
        `${cursor}A`,
        `${cursor}=`,
        ` ${cursor}`,
      ]) {
        if (changed !== cursor && isTaken(() => read(changed)))
          assert.notDeepEqual(read(changed), position, changed);
      }
    }
  });
});

describe("X-Forwarded-For", () => {
  test("names the last address that is not a trusted proxy's, however the proxies write it", () => {
    const addressOf = makeClientAddress(["10.0.0.0/8", "2001:db8:ffff::/48"]);
    const makeHop = (random: Random) => {
      const isProxy = random() < 0.6;
      const n = between(random, 1, 250);
      if (random() < 0.5) {
        const address = isProxy ? `10.${n}.1.2` : `198.51.100.${n}`;
        const forms = [
          address,
          `${address}:80`,
          `"${address}"`,
          `::ffff:${address}`,
          ` ${address} `,
        ] as const;
        return { isProxy, client: address, text: pick(random, forms) };
      }
      const group = n.toString(16);
      const network = isProxy ? `2001:db8:ffff:${group}` : `2001:db8:1:${group}`;
      const address = `${network}:${pick(random, [":1", "0:0:0:1", "0000:0:0:0001"])}`;
      const forms = [
        address,
        `[${address}]`,
        `[${address}]:443`,
        `"[${address}]:443"`,
        address.toUpperCase(),
      ] as const;
      return { isProxy, client: `${network}::/64`, text: pick(random, forms) };
    };
    forAll(
      10_000,
      random => many(random, 0, 5, () => makeHop(random)),
      hops => {
        const client = hops.findLast(({ isProxy }) => !isProxy) ?? hops[0] ?? { client: "10.9.9.9" };
        const headers =
          hops.length === 0 ? {} : { "x-forwarded-for": hops.map(({ text }) => text).join(",") };
        const request = { socket: { remoteAddress: "10.9.9.9" }, headers } as unknown as IncomingMessage;
        assert.equal(addressOf(request), client.client);
      },
    );
  });
});

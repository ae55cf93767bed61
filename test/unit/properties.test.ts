import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, test } from "node:test";
import fc from "fast-check";
import { listOrPage, logQueryFields } from "../../src/adapters/http/api/log-page.ts";
import { makeClientAddress } from "../../src/adapters/http/request/client-address.ts";
import { registrationFields } from "../../src/domain/employee.ts";
import { readLocalDateTime } from "../../src/domain/local-date-time.ts";
import type { LogPosition } from "../../src/domain/maintenance-log.ts";

/** Rules against a second statement of them. */
const forAll = <T>(values: fc.Arbitrary<T>, check: (value: T) => void | Promise<void>) =>
  fc.assert(
    fc.asyncProperty(values, async value => check(value)),
    { numRuns: 1_000 },
  );

const joined = (parts: readonly string[]): string => parts.join("");
const number = (min: number, max: number) => fc.integer({ min, max });

const isTaken = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, "INVALID");
    return false;
  }
};

test("a local date-time is taken when a calendar has it, and seen as it was sent but for its seconds", async () => {
  const digits = (value: number, width = 2) => String(value).padStart(width, "0");
  const check = (date: readonly number[], time: readonly number[], fraction = "") => {
    const [[year = 0, month = 0, day = 0], [hour = 0, minute = 0, second = 0]] = [date, time];
    const sent = `${digits(year, 4)}-${digits(month)}-${digits(day)}T${time.map(part => digits(part)).join(":")}`;
    const calendar = new Date(0);
    calendar.setUTCFullYear(year, month - 1, day);
    calendar.setUTCHours(hour, minute, second);
    const exists = year > 0 && calendar.toISOString() === `${sent}.000Z`;
    const text = fraction === "" ? sent : `${sent}.${fraction}`;
    const taken = exists && fraction.length <= 9;
    assert.equal(
      isTaken(() => readLocalDateTime(text, "refused")),
      taken,
      text,
    );
    if (!taken) return;
    const seen = readLocalDateTime(text, "refused");
    assert.equal(seen.slice(0, 19), sent);
    assert.equal(Number(`0${seen.slice(19)}`), Number(`0.${fraction.slice(0, 6)}0`));
    assert.doesNotMatch(seen, /\.\d*0$|\.$/);
  };
  for (const year of [0, 1, 1900, 2000, 2023, 2024, 9999])
    for (let month = 0; month <= 13; month += 1)
      for (let day = 0; day <= 32; day += 1) check([year, month, day], [8, 30, 0]);
  const fraction = fc.array(fc.constantFrom(..."0001234"), { maxLength: 10 }).map(joined);
  await forAll(
    fc.tuple(number(0, 24), number(0, 60), number(0, 60), fraction),
    ([hour, minute, second, fraction]) => check([2024, 5, 17], [hour, minute, second], fraction),
  );
});

describe("the fields of a record, after section 7 of the specification", () => {
  const lengthOf = (sent: string) => Array.from(sent.trim()).length;

  test("phones have 6 to 20 characters: digits, +, (, ), - and whitespace", async () => {
    const usual = [..."17+(- \t"];
    const characters = fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...usual) },
      fc.constantFrom(..."aé漢🔧@."),
    );
    await forAll(fc.array(characters, { maxLength: 24, size: "max" }).map(joined), sent => {
      const isLong = lengthOf(sent) >= 6 && lengthOf(sent) <= 20;
      assert.equal(
        isTaken(() => registrationFields.phone.read(sent)),
        isLong && [...sent.trim()].every(c => "0123456789+() \t-".includes(c)),
      );
    });
  });

  test("emails have one @ and after it a dot between other characters, no whitespace and at most 254 characters", async () => {
    const long = number(100, 140).map(length => "x".repeat(length));
    const part = fc.oneof(fc.constantFrom("", "a", "b.c", "é", "🔧", " ", "@"), long);
    const email = fc.tuple(part, part, fc.constant("@"), part, fc.constantFrom(".", "", ".."), part);
    await forAll(email.map(joined), sent => {
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
  const position: fc.Arbitrary<LogPosition> = fc.record(
    {
      performedDate: fc
        .tuple(number(10, 99), number(1, 9), number(0, 9), fc.constantFrom("", ".1", ".000001", ".123456"))
        .map(([year, month, day, fraction]) => `20${year}-0${month}-1${day}T08:30:00${fraction}`),
      id: number(1, Number.MAX_SAFE_INTEGER),
    },
    { noNullPrototype: true },
  );
  const cursorOf = async (position: LogPosition): Promise<string> => {
    async function* list() {
      yield { content: Buffer.alloc(0), next: position };
      yield { content: Buffer.from("{}"), next: position };
    }
    const answer = await listOrPage("logs", { limit: 1 } as Parameters<typeof listOrPage>[1], list());
    return /before=([\w-]+)>/.exec(answer.headers["Link"] ?? "")?.[1] ?? "";
  };

  test("leads to the position that it was made for, and no change of it does", async () => {
    const read = (cursor: string) => logQueryFields.before.read(cursor);
    const change = fc.tuple(fc.nat(), fc.constantFrom("A", "_", "9", "="));
    await forAll(fc.tuple(position, change), async ([position, [place, character]]) => {
      const cursor = await cursorOf(position);
      assert.deepEqual(read(cursor), position);
      const at = place % cursor.length;
      const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)];
      for (const changed of [
        before + character + after,
        before + after,
        `${cursor}A`,
        `${cursor}=`,
        ` ${cursor}`,
      ]) {
        if (changed !== cursor && isTaken(() => read(changed)))
          assert.notDeepEqual(read(changed), position, changed);
      }
    });
  });
});

describe("X-Forwarded-For", () => {
  test("names the last address that is not a trusted proxy's, however the proxies write it", async () => {
    const addressOf = makeClientAddress(["10.0.0.0/8", "2001:db8:ffff::/48"], () => {});
    const hop = fc.record({
      isProxy: fc.boolean(),
      isOld: fc.boolean(),
      n: number(1, 250),
      form: fc.nat({ max: 4 }),
    });
    const written = ({
      isProxy,
      isOld,
      n,
      form,
    }: typeof hop extends fc.Arbitrary<infer Hop> ? Hop : never) => {
      if (isOld) {
        const address = isProxy ? `10.${n}.1.2` : `198.51.100.${n}`;
        const forms = [address, `${address}:80`, `"${address}"`, `::ffff:${address}`, ` ${address} `];
        return { isProxy, client: address, text: forms[form] };
      }
      const group = n.toString(16);
      const network = isProxy ? `2001:db8:ffff:${group}` : `2001:db8:1:${group}`;
      const address = `${network}:${[":1", "0:0:0:1", "0000:0:0:0001"][n % 3]}`;
      const forms = [
        address,
        `[${address}]`,
        `[${address}]:443`,
        `"[${address}]:443"`,
        address.toUpperCase(),
      ];
      return { isProxy, client: `${network}::/64`, text: forms[form] };
    };
    await forAll(fc.array(hop.map(written), { maxLength: 5 }), hops => {
      const client = hops.findLast(({ isProxy }) => !isProxy) ?? hops[0] ?? { client: "10.9.9.9" };
      const headers = hops.length === 0 ? {} : { "x-forwarded-for": hops.map(({ text }) => text).join(",") };
      const request = { socket: { remoteAddress: "10.9.9.9" }, headers } as unknown as IncomingMessage;
      assert.equal(addressOf(request), client.client);
    });
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  membersOf,
  readEntityTags,
  readHost,
  readMediaType,
  unquoted,
} from "../../../../src/adapters/protocol/field-value.ts";

/** Texts of these characters. */
const textOf = (characters: string, minLength = 0) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength: 12 });
const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join("");
const token = textOf(visible.replace(/["(),/:;<=>?@[\\\]{}]/g, ""), 1);
const optionalSpace = textOf(" \t");
const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
/** A value as a token, where it can be one, or as a quoted string. */
const written = (value: string, wantsToken: boolean): string =>
  wantsToken && /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : quote(value);

const separator = fc
  .tuple(optionalSpace, fc.constantFrom(",", ", ,", ",,"), optionalSpace)
  .map(parts => parts.join(""));

describe("a media type", () => {
  test("is read as it was written, in any form of its parameters", () => {
    const parameter = fc.record({
      name: token,
      value: fc.oneof(token, textOf(`${visible} \t\x80ÿ`)),
      isToken: fc.boolean(),
      gap: fc.tuple(optionalSpace, fc.constantFrom(";", "; ;"), optionalSpace).map(parts => parts.join("")),
    });
    fc.assert(
      fc.property(token, token, fc.array(parameter), (type, subtype, parameters) => {
        const rest = parameters.map(
          ({ name, value, isToken, gap }) => `${gap}${name}=${written(value, isToken)}`,
        );
        assert.deepEqual(readMediaType(`${type}/${subtype}${rest.join("")}`), {
          type: `${type}/${subtype}`.toLowerCase(),
          parameters: parameters.map(({ name, value }) => [name.toLowerCase(), value]),
        });
      }),
    );
  });

  for (const text of [
    "",
    "/",
    "a",
    "a/",
    "/a",
    "a/b c",
    "a/b;c",
    "a/b;c=",
    "a/b;c = d",
    'a/b;c="',
    'a/b;c="d\\"',
  ]) {
    test(`is not ${JSON.stringify(text)}`, () => assert.equal(readMediaType(text), undefined));
  }
});

describe("a list of entity tags", () => {
  const tag = fc
    .tuple(fc.boolean(), textOf(`${visible.replace('"', "")}\x80ÿ`))
    .map(([isWeak, text]) => ({ isWeak, text: `"${text}"` }));

  test("is read as it was written, whatever separates its members", () => {
    fc.assert(
      fc.property(fc.array(tag), separator, optionalSpace, (tags, between, end) => {
        const texts = tags.map(({ isWeak, text }) => (isWeak ? `W/${text}` : text));
        assert.deepEqual(readEntityTags(`${end}${texts.join(between)}${end}`), tags);
      }),
    );
  });

  test("may be every tag, and nothing else then", () => {
    assert.equal(readEntityTags("*"), "*");
    for (const text of ["**", "*,", '*, "a"', '"a", *', "W/*"]) assert.equal(readEntityTags(text), undefined);
  });

  for (const text of ["a", '"a', '"a" "b"', 'w/"a"', 'W / "a"', 'x"a"', 'a="b"', '"a b"', '"a";b', '"a"b']) {
    test(`is not ${text}`, () => assert.equal(readEntityTags(text), undefined));
  }
});

describe("a host", () => {
  const port = fc.oneof(
    fc.constant(""),
    fc.constant(":"),
    fc.nat({ max: 65_535 }).map(n => `:${n}`),
  );

  test("is read without its port", () => {
    for (const host of [fc.domain(), fc.ipV4(), textOf("azAZ09-._~!$&'()*+,;=", 1)]) {
      fc.assert(fc.property(host, port, (name, end) => assert.equal(readHost(name + end), name)));
    }
    fc.assert(fc.property(fc.ipV6(), port, (name, end) => assert.equal(readHost(`[${name}]${end}`), name)));
  });

  test("is no other text", () => {
    const other = textOf(' \t"#/<>?@[\\]^`{|}é', 1);
    const name = textOf("abc.");
    fc.assert(fc.property(name, other, name, (a, b, c) => assert.equal(readHost(a + b + c), undefined)));
    for (const text of [
      "",
      ":",
      ":80",
      "::1",
      "a:b",
      "a:1:2",
      "a:65536",
      "[::1",
      "[::1]1",
      "[::g]",
      "[::1%1]",
      "%",
      "%zz",
      "a%4",
    ]) {
      assert.equal(readHost(text), undefined, text);
    }
  });
});

describe("the members of a list", () => {
  test("are those that are not empty", () => {
    fc.assert(
      fc.property(fc.array(token), separator, (members, between) =>
        assert.deepEqual(membersOf(`,${members.join(between)} ,`), members),
      ),
    );
  });
});

describe("a quoted string", () => {
  test("means what is between its quotation marks, without the backslashes of quoted pairs", () => {
    fc.assert(fc.property(textOf(`${visible} `), text => assert.equal(unquoted(quote(text)), text)));
  });

  for (const text of ["", "a", '"', '"a', 'a"', '"a"b', '"a\\"', '"a"b"']) {
    test(`is not ${text}, which stays as it is`, () => assert.equal(unquoted(text), text));
  }
});

test("the time to read a value grows with its length only", () => {
  const most = 16 * 1024;
  const began = performance.now();
  for (const part of [
    '"',
    "\\",
    ",",
    ", ",
    ";",
    ' "',
    "a",
    "a=",
    'a="',
    'W/"',
    "%",
    "a;",
    "[:",
    "(",
    "\t",
    '"\\',
  ]) {
    const long = part.repeat(most / part.length);
    for (const text of [long, `a/b;${long}`, `a/b;c="${long}`, `"${long}`, `"a"${long}`, `[${long}`]) {
      readMediaType(text);
      readEntityTags(text);
      readHost(text);
      membersOf(text);
      unquoted(text);
    }
  }
  // About 50 ms; what is quadratic takes minutes.
  assert.ok(performance.now() - began < 10_000);
});

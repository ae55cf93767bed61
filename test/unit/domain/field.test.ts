import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DomainError } from "../../../src/domain/error.ts";
import {
  ifSent,
  isAbsent,
  nonBlank,
  optional,
  readFields,
  readText,
  required,
  rule,
  textBetween,
  textRule,
  trimmedBetween,
  wordOf,
} from "../../../src/domain/field.ts";

const refused = (message: string) => ({ name: "DomainError", code: "INVALID", message });

const aText = rule({ type: "string" }, value => readText("Note", value));

const fields = {
  title: nonBlank(trimmedBetween("Title", 2, 4)),
  size: required("Size required", wordOf(["S", "L"], "Invalid size value")),
  note: optional(aText, ""),
};

describe("reading the fields of an object", () => {
  test("gives the declared fields and ignores all others", () => {
    const sent = { title: "abc", size: "S", note: "n", extra: 1 };
    assert.deepEqual(readFields(fields, sent), { title: "abc", size: "S", note: "n" });
  });

  test("looks for everything that is missing before it judges anything that is sent", () => {
    assert.throws(() => readFields(fields, { title: "far too long" }), refused("Size required"));
  });

  test("names the first missing field in the order of declaration, not of sending", () => {
    assert.throws(() => readFields(fields, { size: null, title: null }), refused("Title is required"));
  });

  test("names the first faulty field in the order of declaration, not of sending", () => {
    const sent = { size: "M", title: "a" };
    assert.throws(() => readFields(fields, sent), refused("Title must be between 2 and 4 characters"));
  });

  test("takes null for absent", () => {
    const all = { ...fields, nick: ifSent(fields.title) };
    const sent = { title: "abc", size: "L", note: null, nick: null };
    assert.deepEqual(readFields(all, sent), { title: "abc", size: "L", note: "", nick: undefined });
    assert.throws(() => readFields(fields, { title: "abc", size: null }), refused("Size required"));
  });

  test("takes nothing from the prototype of the object", () => {
    const sent = Object.create({ title: "abc", size: "S" }) as Record<string, unknown>;
    assert.throws(() => readFields(fields, sent), refused("Title is required"));
  });

  test("does not mistake what every object inherits for a field that was sent", () => {
    const inherited = { toString: optional(aText, "absent") };
    assert.deepEqual(readFields(inherited, {}), { toString: "absent" });
  });

  test("keeps a __proto__ key of JSON inert", () => {
    const sent = JSON.parse('{"__proto__": {"note": "planted"}, "title": "abc", "size": "L"}');
    assert.deepEqual(readFields(fields, sent), { title: "abc", size: "L", note: "" });
  });
});

describe("a field that must not be blank", () => {
  const field = nonBlank(textRule("Title", undefined, sent => `<${sent}>`));

  for (const blank of [undefined, "", " ", " \t\r\n\u00a0\u3000", "\u200b", "\u0007 \u2060\ufeff\u00ad"]) {
    test(`counts ${JSON.stringify(blank)} as missing`, () => {
      assert.equal(field.missing(blank), "Title is required");
    });
  }

  test("hands the text to its own rule as it was sent", () => {
    assert.equal(field.missing(" a "), undefined);
    assert.equal(field.read(" a "), "< a >");
  });

  for (const other of [0, 7, false, true, [], ["a"], {}]) {
    test(`counts ${JSON.stringify(other)} as sent, but not as text`, () => {
      assert.equal(field.missing(other), undefined);
      assert.throws(() => field.read(other), refused("Title must be a string"));
    });
  }
});

describe("a required field", () => {
  for (const blank of [undefined, "", " \t\n"]) {
    test(`counts ${JSON.stringify(blank)} as missing`, () => {
      assert.equal(fields.size.missing(blank), "Size required");
    });
  }

  test("counts any other value as sent", () => {
    for (const other of [0, false, [], "M"]) assert.equal(fields.size.missing(other), undefined);
  });

  test("may be blank where that is said", () => {
    const field = required("Note required", aText, isAbsent);
    assert.equal(field.missing(undefined), "Note required");
    assert.equal(field.missing(""), undefined);
    assert.equal(field.missing("  "), undefined);
    assert.equal(field.read("  "), "  ");
  });
});

describe("an optional field", () => {
  const field = optional(aText, "none");

  test("may be bounded text", () => {
    const serial = optional(trimmedBetween("Serial number", 1, 64), null);
    assert.deepEqual([serial.read(undefined), serial.read(" 7 ")], [null, "7"]);
    assert.throws(() => serial.read(7), refused("Serial number must be a string"));
    assert.deepEqual(serial.bounds, { min: 1, max: 64, trimmed: true });
  });

  test("gives the fallback when it is absent", () => {
    assert.equal(field.missing(undefined), undefined);
    assert.equal(field.read(undefined), "none");
  });

  test("reads what is sent, the empty text too", () => {
    assert.equal(field.read("a"), "a");
    assert.equal(field.read(""), "");
  });

  test("refuses what its rule refuses instead of falling back", () => {
    assert.throws(() => field.read(7), refused("Note must be a string"));
  });
});

describe("a field of an update", () => {
  const field = ifSent(fields.title);

  test("is unchanged when absent", () => {
    assert.equal(field.missing(undefined), undefined);
    assert.equal(field.read(undefined), undefined);
  });

  for (const blank of ["", " \t"]) {
    test(`is required when ${JSON.stringify(blank)} is sent`, () => {
      assert.equal(field.missing(blank), "Title is required");
    });
  }

  test("follows the rule of the field when something is sent", () => {
    assert.equal(field.missing(" abc "), undefined);
    assert.equal(field.read(" abc "), "abc");
    assert.throws(() => field.read("a"), refused("Title must be between 2 and 4 characters"));
  });

  test("asks for a value also where the rule alone would judge a blank one", () => {
    assert.equal(ifSent(fields.size).missing(" "), "Size required");
  });
});

describe("a word of a closed set", () => {
  const readSize = wordOf(["SMALL", "LARGE"], "Invalid size value");

  test("is read as it is", () => {
    assert.equal(readSize("SMALL"), "SMALL");
    assert.equal(readSize("LARGE"), "LARGE");
  });

  for (const other of ["small", "Small", " SMALL", "SMALL ", "", "MEDIUM", ["SMALL"], 0, true, {}, null]) {
    test(`is not ${JSON.stringify(other)}`, () => {
      assert.throws(() => readSize(other), refused("Invalid size value"));
    });
  }
});

describe("the length rule", () => {
  for (const accepted of ["ab", "abcd", "\u{1f527}\u{1f527}", "\u{1f527}".repeat(4)]) {
    test(`takes ${JSON.stringify(accepted)} as 2 to 4 characters`, () => {
      assert.equal(textBetween("Title", 2, 4)(accepted), accepted);
    });
  }

  // A wrench is one character of two UTF-16 units; e with a combining accent is two characters.
  for (const tooShortOrLong of ["", "a", "abcde", "\u{1f527}", "\u{1f527}".repeat(5), "e\u0301e\u0301e"]) {
    test(`does not take ${JSON.stringify(tooShortOrLong)} as 2 to 4 characters`, () => {
      const fault = refused("Title must be between 2 and 4 characters");
      assert.throws(() => textBetween("Title", 2, 4)(tooShortOrLong), fault);
    });
  }

  test("counts surrounding whitespace unless told to trim", () => {
    assert.throws(() => textBetween("Title", 2, 4)(" abc "), DomainError);
    assert.equal(trimmedBetween("Title", 2, 4)(" abc "), "abc");
  });

  test("judges what is left after trimming", () => {
    const fault = refused("Title must be between 2 and 4 characters");
    assert.throws(() => trimmedBetween("Title", 2, 4)("  a  "), fault);
    assert.equal(trimmedBetween("Title", 2, 4)(`${" ".repeat(50)}abcd${" ".repeat(50)}`), "abcd");
  });
});

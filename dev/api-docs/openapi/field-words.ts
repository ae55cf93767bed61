import { logQueryFields } from "../../../src/adapters/http/api/log-page.ts";
import { entriesFields } from "../../../src/adapters/http/api/routes.ts";
import { activityFilterFields } from "../../../src/domain/activity.ts";
import { newAssetFields } from "../../../src/domain/asset.ts";
import {
  employeeChangeFields,
  loginFields,
  passwordChangeFields,
  registrationFields,
} from "../../../src/domain/employee.ts";
import type { Bounds, Field, Fields, Schema } from "../../../src/domain/field.ts";
import { activeAssetsFields, newLogFields, writeLogHeaders } from "../../../src/domain/maintenance-log.ts";
import type { Properties } from "../../../src/domain/record.ts";

const wordsOf = new Map<Field<unknown>, string>();

/** The types ask for words for each of the fields. */
function describe<F extends Fields>(fields: F, words: { readonly [Name in keyof F]: string }): void {
  for (const [name, field] of Object.entries(fields)) wordsOf.set(field, words[name] as string);
}

/** The schema of a field, with what the field means and how long it may be. */
export function schemaOf(field: Field<unknown>): Schema {
  const words = wordsOf.get(field);
  if (words === undefined) {
    throw new Error(`field-words.ts has no words for the field ${JSON.stringify(field.schema)}`);
  }
  return {
    ...field.schema,
    description: [words, ...(field.bounds ? [boundsWords(field.bounds)] : [])].join(" "),
  };
}

/** The schemas of a record's properties. `words` has those of what no client sends, and of what means something else when it is sent. */
export const schemasOf = <P extends Properties>(
  properties: P,
  words: { readonly [Name in keyof P]?: string },
) =>
  Object.fromEntries<Schema>(
    Object.entries(properties).map(([name, { schema, field }]) => {
      const description = words[name] ?? (field && schemaOf(field)["description"]);
      if (description === undefined) throw new Error(`there are no words for the property ${name}`);
      return [name, { ...schema, description }];
    }),
  ) as Readonly<Record<keyof P, Schema>>;

const boundsWords = ({ min, max, trimmed }: Bounds): string => {
  const bounds = min === 0 ? `At most ${grouped(max)}` : `${grouped(min)} to ${grouped(max)}`;
  return `${bounds} characters${trimmed ? ", not counting whitespace at its ends" : ""}.`;
};

/** A count as pages write it: 2,000. */
export const grouped = (count: number): string => count.toLocaleString("en-US");

const { password, ...employee } = {
  firstName: "The first name, or several.",
  lastName: "The last name.",
  email:
    "The login name, unique among all employees whatever its case and form (a domain in Unicode or as `xn--`). It has one `@`, a dot after the `@`, and no whitespace.",
  password: "The service stores only its hash (argon2id) and never returns it.",
  phone: "Digits, `+`, `(`, `)`, `-` and whitespace.",
  role: "Exactly one role.",
};
describe(registrationFields, { ...employee, password });
describe(employeeChangeFields, employee);

describe(loginFields, {
  email: "The email that the employee was registered with, in any case and form.",
  password: "The employee's password.",
});

describe(passwordChangeFields, {
  oldPassword: "The password until now. A wrong one: 400 `Old password is incorrect`.",
  newPassword: "The password from now on.",
});

describe(activityFilterFields, {
  active: "`true` selects the active records, `false` the inactive ones. Without it the list has both.",
});

describe(newAssetFields, {
  name: "What the asset is called.",
  description: "Anything that helps to recognise the asset, stored as sent.",
  active: "Whether the asset is in use. Logs can be written on an inactive asset too.",
});

describe(newLogFields, {
  performedDate:
    "When the work was performed, by the clock on the wall: a local date-time without a zone, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`, in a year from 0001 to 9999, also in the future. A `Z` or an offset is 400. Digits 7 to 9 of a second are accepted and cut. Responses always have the seconds, and a fraction only if it is not zero.",
  status: "How far the work was.",
  taskType: "What kind of task it was.",
  comment: "What was done or found, stored as sent. It may be empty.",
});

const logFilter = {
  status: "Only logs that were written with this status, even if a later log reports another status.",
  taskType: "Only logs with this task type.",
  performedFrom: "Only logs performed at this moment or later, in the form of `performedDate`.",
  performedTo:
    "Only logs performed before this moment, in the form of `performedDate`, so that periods that follow each other share no log.",
};
describe(logQueryFields, {
  ...logFilter,
  limit:
    "Asks for a page of at most this many logs, 1 to 1000. While there are more logs, the response has a `Link` to the next page; a page with a link may be shorter than `limit`, even empty. Without `limit` the list is complete, whatever its length.",
  before: "Where the page begins: an opaque cursor. Take it from the `Link` of the page before.",
});
describe(activeAssetsFields, {
  ...logFilter,
  limit: "The number of logs, without an upper bound.",
});

describe(entriesFields, {
  from: "The index of the first entry to return: 0 is the first of the trail.",
  after:
    "The first 16 hexadecimal digits of the leaf hash of the entry before `from`. Take them from the `Link` of the page before. If the trail has another entry there, or none, the response is 409.",
  limit: "How many entries at most, 1 to 1000.",
});

describe(writeLogHeaders, {
  "Idempotency-Key":
    "The client's own name for this log, such as a UUID: 1 to 255 visible ASCII characters. With it the request can be sent again after a 503, a time-out or a lost connection: the same employee with the same key and values gets the same log again, with `Idempotent-Replayed: true`, and no second log is written. The service stores the key for ever. A refused request (400, 404) leaves the key free. The same key with other values or another asset is 422.",
});

/** The header fields of a route that reads what has an entity tag, and of one that changes it. */
export const preconditionWords = {
  read: {
    "If-Match":
      "The `ETag` of an earlier response, or several: if none matches any more, the response is 412.",
    "If-None-Match":
      "The `ETag` of an earlier response, or several: if one still matches, the response is 304 without a body.",
  },
  change: {
    "If-Match":
      "The `ETag` of the employee as the client knows it: if another change came first, the response is 412 and nothing is changed. `*` matches whatever exists. A malformed list of entity tags is 400.",
    "If-None-Match": "With `*` the response is 412 if the employee exists.",
  },
};

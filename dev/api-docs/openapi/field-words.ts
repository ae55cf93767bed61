import { ifNoneMatchFields, preconditionFields } from "../../../src/adapters/http/api/entity-tag.ts";
import { logQueryFields } from "../../../src/adapters/http/api/log-page.ts";
import { entriesFields } from "../../../src/adapters/http/api/trail-routes.ts";
import { activityFilterFields } from "../../../src/domain/activity.ts";
import { newAssetFields } from "../../../src/domain/asset.ts";
import {
  employeeChangeFields,
  loginFields,
  passwordChangeFields,
  registrationFields,
} from "../../../src/domain/employee.ts";
import type { Field, Fields, Schema } from "../../../src/domain/field.ts";
import { activeAssetsFields, newLogFields, writeLogHeaders } from "../../../src/domain/maintenance-log.ts";

const wordsOf = new Map<Field<unknown>, string>();

/** The types ask for words for each of the fields. */
function describe<F extends Fields>(fields: F, words: { readonly [Name in keyof F]: string }): void {
  for (const [name, field] of Object.entries(fields)) wordsOf.set(field, words[name] as string);
}

/** The schema of a field, with what the field means. */
export function schemaOf(field: Field<unknown>): Schema {
  const description = wordsOf.get(field);
  if (description === undefined) throw new Error("a field is not described");
  return { ...field.schema, description };
}

const { password, ...employee } = {
  firstName: "Trimmed of surrounding whitespace; 2 to 50 characters remain.",
  lastName: "Trimmed of surrounding whitespace; 2 to 50 characters remain.",
  email:
    "The login name, unique among all employees whatever its case and form (a domain in Unicode or as `xn--`). Trimmed; one `@`, a dot after it, no whitespace, at most 254 characters. Other forms: 400 `Invalid email format`.",
  password:
    "4 to 72 characters, not counting whitespace at its ends. The service stores only its hash (argon2id) and never returns it.",
  phone:
    "Trimmed; 6 to 20 characters remain, each a digit, `+`, `(`, `)`, `-` or whitespace. Other forms: 400 `Invalid phone format`.",
  role: "Exactly one role. Other words: 400 `Invalid role value`.",
};
describe(registrationFields, { ...employee, password });
describe(employeeChangeFields, employee);

describe(loginFields, {
  email: "The email that the employee was registered with, in any case and form.",
  password: "The employee's password.",
});

describe(passwordChangeFields, {
  oldPassword: "The password until now. A wrong one: 400 `Old password is incorrect`.",
  newPassword: "The password from now on: 4 to 72 characters, not counting whitespace at its ends.",
});

describe(activityFilterFields, {
  active:
    "`true` selects the active records, `false` the inactive ones. Without it the list has both. Other words: 400 `Invalid active value`.",
});

describe(newAssetFields, {
  name: "What the asset is called. The service trims surrounding whitespace; 1 to 100 characters remain.",
  description: "Anything that helps to recognise the asset, at most 2,000 characters, stored as sent.",
  active: "Whether the asset is in use. Logs can be written on an inactive asset too.",
});

describe(newLogFields, {
  performedDate:
    "When the work was performed: a local date-time without a zone or offset, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`, on a real calendar day; up to nine digits of a second are accepted, and cut after the sixth. It means the time on the wall clock; the service stores it as sent and converts it to no time zone. Responses always have the seconds, and a fraction only if it is not zero. Other forms: 400 `Invalid performed date`.",
  status: "How far the work was. Other words: 400 `Invalid status value`.",
  taskType: "What kind of task it was. Other words: 400 `Invalid task type value`.",
  comment: "What was done or found, at most 10,000 characters, stored as sent. It may be empty.",
});

const logFilter = {
  status: "Only logs with this status. Other words: 400 `Invalid status value`.",
  taskType: "Only logs with this task type. Other words: 400 `Invalid task type value`.",
  performedFrom:
    "Only logs performed at this moment or later (inclusive): a local date-time without a zone, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`. Other forms: 400 `Invalid performedFrom value`.",
  performedTo:
    "Only logs performed before this moment (exclusive), so that periods that follow each other share no log: a local date-time without a zone, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`. Other forms: 400 `Invalid performedTo value`.",
};
describe(logQueryFields, {
  ...logFilter,
  limit:
    "Asks for a page of at most this many logs, 1 to 1000. While there are more logs the response has a `Link` header with the address of the next page; a page with a link may be shorter than `limit`, even empty. Without `limit` the list is complete, whatever its length. Other values: 400 `Invalid limit value`.",
  before:
    "Where the page begins: an opaque cursor. Take it from the `Link` of the page before, as part of that address. Other values: 400 `Invalid before value`.",
});
describe(activeAssetsFields, {
  ...logFilter,
  limit:
    "The number of logs, from 1 on without an upper bound. The response has that many logs if there are as many, however long they are. Other values: 400 `Invalid limit value`.",
});

describe(entriesFields, {
  from: "The index of the first entry. Other values: 400 `Invalid from value`.",
  limit: "How many entries at most, 1 to 1000. Other values: 400 `Invalid limit value`.",
});

describe(writeLogHeaders, {
  "Idempotency-Key":
    "Makes it safe to send the request again after a 503, a time-out or a lost connection. A name of the client's choice for this log, a UUID for example: 1 to 255 visible ASCII characters. The service stores it with the log for ever. The same employee sending the same key and body again gets the first response again, with `Idempotent-Replayed: true`, and no second log is written. The same key with another body or asset: 422.",
});
describe(preconditionFields, {
  "If-Match":
    "The `ETag` of the employee as the client knows it: if another change came first, the response is 412 and nothing is changed. `*` matches whatever exists.",
  "If-None-Match": "With `*` the response is 412 if the employee exists.",
});
describe(ifNoneMatchFields, {
  "If-None-Match":
    "The `ETag` of an earlier response, or several: if one still matches, the response is 304 without a body.",
});

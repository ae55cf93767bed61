import { domainToUnicode } from "node:url";
import { invalid } from "./error.ts";
import { counted, ifSent, nonBlank, required, textRule, trimmedBetween, type Values } from "./field.ts";
import { flag, id, type RecordOf, recorded, stored } from "./record.ts";
import { readRole } from "./role.ts";

/** The white space at its ends is for the schema, which sees what is sent before it is trimmed. */
const emailFormat = /^\s*[^\s@]+@[^\s@]+\.[^\s@]+\s*$/;
/** An email with one of these looks like another, or like none. */
const unseen = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/** In characters. */
const maxEmailLength = 254;

declare const canonical: unique symbol;
/** An email in the one form in which emails are compared, counted and limited: the login name. */
export type EmailKey = string & { readonly [canonical]: true };

/** The folding does not depend on a locale. The lower case of the Greek Σ depends on its place in the word. */
const fold = (text: string): string => text.toLowerCase().normalize("NFC").replaceAll("ς", "σ");
/** No character folds to more UTF-16 units. */
const mostFoldedUnits = 6;
/**
 * A domain that has a Unicode form. Only characters of domains match: at any other, `domainToUnicode` would end, or decode it. At most
 * 253 characters match, the limit of DNS, because the time to read a domain grows with the square of its length.
 */
const international = /(?<=@)(?=.*(?:[^\0-\x7f]|xn--))[\w.\-\u{80}-\u{10ffff}]{1,253}$/su;
const unknownEmail = "no employee" as EmailKey;

/**
 * Emails are one if they differ only in white space around them, case, Unicode form, and whether the domain is in Unicode or
 * as browsers send it (UTS 46). A domain that UTS 46 refuses is folded like other text. A client can send an email of any
 * length: those that are too long for any employee share one key.
 */
export function emailKey(sent: string): EmailKey {
  const folded = fold(sent.trim());
  if (folded.length > mostFoldedUnits * maxEmailLength) return unknownEmail;
  return folded.replace(international, domain => fold(domainToUnicode(domain)) || domain) as EmailKey;
}

const readEmail = textRule(
  "Email",
  { min: 5, max: maxEmailLength, trimmed: true },
  sent => {
    const email = sent.trim();
    // The length is checked first, to bound the work of the pattern. No text of fewer than 5 characters matches the pattern.
    if ([...email].length > maxEmailLength) throw invalid("Email is too long");
    if (!emailFormat.test(email) || unseen.test(email)) throw invalid("Invalid email format");
    return email;
  },
  { pattern: emailFormat.source },
);

/** Of what is sent, before it is trimmed. The backslashes are for forms of HTML. */
const phonePattern = String.raw`^\s*[\d+\(\)\-][\d+\(\)\s\-]{4,18}[\d+\(\)\-]\s*$`;
const phoneFormat = new RegExp(phonePattern);

const readPhone = textRule(
  "Phone",
  { min: 6, max: 20, trimmed: true },
  sent => {
    if (!phoneFormat.test(sent)) throw invalid("Invalid phone format");
    return sent.trim();
  },
  { pattern: phonePattern },
);

const passwordBounds = { min: 4, max: 72, trimmed: true };

/** With the white space around it, which is hashed too. That many escaped characters and the longest email fit into the body of a login. */
const mostPasswordCharacters = 100;

/** Its length is that of the trimmed text, and what is sent is hashed. Messages about the length say Password for both labels. */
const newPassword = (label: string) =>
  textRule(
    label,
    passwordBounds,
    sent => {
      counted("Password", passwordBounds, sent);
      if ([...sent].length > mostPasswordCharacters)
        throw invalid(
          `Password must be at most ${mostPasswordCharacters} characters with the white space around it`,
        );
      return sent;
    },
    { format: "password", maxLength: mostPasswordCharacters },
  );

const asSent = (label: string) => textRule(label, undefined, sent => sent);

/** Body of `POST /auth/register`. */
export const registrationFields = {
  firstName: nonBlank(trimmedBetween("First name", 2, 50)),
  lastName: nonBlank(trimmedBetween("Last name", 2, 50)),
  email: nonBlank(readEmail),
  password: nonBlank(newPassword("Password")),
  phone: nonBlank(readPhone),
  role: required("Role is required", readRole),
};
export type Registration = Values<typeof registrationFields>;

const { firstName, lastName, phone, email, role } = registrationFields;
/** An employee as clients see it: the password hash is not part of it. */
export const employeeProperties = {
  id: recorded(id),
  firstName: stored(firstName),
  lastName: stored(lastName),
  phone: stored(phone),
  email: stored(email),
  role: recorded(role),
  active: recorded(flag),
};
export type Employee = RecordOf<typeof employeeProperties>;

/** Body of `PUT /employees/{id}`: any of the non-password fields. */
export const employeeChangeFields = {
  firstName: ifSent(firstName),
  lastName: ifSent(lastName),
  email: ifSent(email),
  phone: ifSent(phone),
  role: ifSent(role),
};
export type EmployeeChanges = Values<typeof employeeChangeFields>;

/** Body of `POST /auth/login`. Only presence is checked here: a value that no employee has fails the login. */
export const loginFields = {
  email: nonBlank(textRule("Email", undefined, emailKey)),
  password: nonBlank(asSent("Password")),
};
export type Login = Values<typeof loginFields>;

/** Body of `PATCH /employees/{id}/password`. */
export const passwordChangeFields = {
  oldPassword: nonBlank(asSent("Old password")),
  newPassword: nonBlank(newPassword("New password")),
};
export type PasswordChange = Values<typeof passwordChangeFields>;

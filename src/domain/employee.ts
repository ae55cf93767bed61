import { invalid } from "./error.ts";
import { between, ifSent, nonBlank, required, rule, trimmedBetween, type Values } from "./field.ts";
import { type Role, readRole } from "./role.ts";

/** An employee as clients see it: the password hash is not part of it. */
export interface Employee {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
  readonly email: string;
  readonly role: Role;
  readonly active: boolean;
}

/**
 * Emails that differ in case or Unicode form only are the same login name; the folding does not depend on a locale. The
 * lower case of the Greek Σ depends on its place in the word.
 */
export const foldEmail = (email: string): string =>
  email.trim().toLowerCase().normalize("NFC").replaceAll("ς", "σ");

/** Of what is sent, before it is trimmed: so the schema takes what the service takes. */
const emailFormat = /^\s*[^\s@]+@[^\s@]+\.[^\s@]+\s*$/;
/** An email with one of these looks like another, or like none. */
const unseen = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
const phoneFormat = /^[\d+()\s-]{6,20}$/;

/** In characters. */
export const maxEmailLength = 254;

const readEmail = rule({ pattern: emailFormat.source }, (sent: string) => {
  const email = sent.trim();
  // The length is checked first, because it bounds the work of the pattern.
  if ([...email].length > maxEmailLength) throw invalid("Email is too long");
  if (!emailFormat.test(email) || unseen.test(email)) throw invalid("Invalid email format");
  return email;
});

/** What is sent, before it is trimmed. The backslashes are for forms of HTML. */
const sentPhone = String.raw`^\s*[\d+\(\)\-][\d+\(\)\s\-]{4,18}[\d+\(\)\-]\s*$`;

const readPhone = rule({ pattern: sentPhone }, (sent: string) => {
  const phone = sent.trim();
  if (!phoneFormat.test(phone)) throw invalid("Invalid phone format");
  return phone;
});

/** The length rule trims, but the password is hashed as it was sent. */
const readPassword = rule({ minLength: 4, format: "password" }, (password: string) => {
  between("Password", 4, 72, password.trim());
  return password;
});

const asSent = rule({}, (text: string) => text);

/** Body of `POST /auth/register`. */
export const registrationFields = {
  firstName: nonBlank("First name", trimmedBetween("First name", 2, 50)),
  lastName: nonBlank("Last name", trimmedBetween("Last name", 2, 50)),
  email: nonBlank("Email", readEmail),
  password: nonBlank("Password", readPassword),
  phone: nonBlank("Phone", readPhone),
  role: required("Role is required", readRole),
};
export type Registration = Values<typeof registrationFields>;

/** Body of `PUT /employees/{id}`: any of the non-password fields. */
export const employeeChangeFields = {
  firstName: ifSent(registrationFields.firstName),
  lastName: ifSent(registrationFields.lastName),
  email: ifSent(registrationFields.email),
  phone: ifSent(registrationFields.phone),
  role: ifSent(registrationFields.role),
};
export type EmployeeChanges = Values<typeof employeeChangeFields>;

/** Body of `POST /auth/login`. Only presence is checked here: a value that no employee has fails the login. */
export const loginFields = {
  email: nonBlank("Email", asSent),
  password: nonBlank("Password", asSent),
};
export type Login = Values<typeof loginFields>;

/** Body of `PATCH /employees/{id}/password`. */
export const passwordChangeFields = {
  oldPassword: nonBlank("Old password", asSent),
  newPassword: nonBlank("New password", readPassword),
};
export type PasswordChange = Values<typeof passwordChangeFields>;

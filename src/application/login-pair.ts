import { foldEmail, maxEmailLength } from "../domain/employee.ts";

/**
 * An email and the address where it is used: their failed logins count together, and their hashes wait in one line. By the
 * email alone anybody could lock it out, and by the address alone everybody behind one proxy would be one.
 *
 * A client can send an email of any length. Emails that are too long for any employee share one pair.
 */
export const loginPair = (email: string, address: string): string =>
  `${address} ${email.length > 2 * maxEmailLength ? "too long" : foldEmail(email)}`;

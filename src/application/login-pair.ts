import type { EmailKey } from "../domain/employee.ts";

/**
 * An email and the address where it is used: their failed logins count together, and their hashes wait in one line. By the
 * email alone anybody could lock it out, and by the address alone everybody behind one proxy would be one.
 */
export const loginPair = (email: EmailKey, address: string): string => `${address} ${email}`;

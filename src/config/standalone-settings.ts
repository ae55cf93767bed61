import { readSignerKey } from "../domain/trail/note.ts";
import { required } from "./read-settings.ts";

/** What commands read that run without the service, its database and its packages. */
export const trailKeySettings = {
  trailKey: required(
    "TRAIL_KEY",
    "signs the trail: docs/trail.md; without it the trail is numbered and not signed",
    "a line that begins with PRIVATE+KEY+, as the command trail-key makes it",
    readSignerKey,
  ),
};

export const asItIs = (text: string): string => text;

/** With what `audit` logs in. */
export const auditSettings = {
  email: required("AUDIT_EMAIL", "any employee's email, for `audit`", "auditor@example.com", asItIs),
  password: required("AUDIT_PASSWORD", "that employee's password, for `audit`", "the password", asItIs),
};

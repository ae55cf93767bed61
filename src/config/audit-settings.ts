import { required } from "./read-settings.ts";

/** With what `audit` logs in. Not among the settings of the service, which it runs without. */
export const auditSettings = {
  email: required("AUDIT_EMAIL", "auditor@example.com, an employee of any role", text => text),
  password: required("AUDIT_PASSWORD", "the password of that employee", text => text),
};

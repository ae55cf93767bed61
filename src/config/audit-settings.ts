/** With what `audit` logs in. Not among the settings of the service, which it runs without. */
export const auditSettings = {
  email: {
    name: "AUDIT_EMAIL",
    example: "auditor@example.com, an employee of any role",
    parse: (text: string) => text,
  },
  password: {
    name: "AUDIT_PASSWORD",
    example: "the password of that employee",
    parse: (text: string) => text,
  },
};

/** What the OpenAPI document says of the API as a whole, in Markdown (OpenAPI Specification, section 4.8.2). */
export const introduction = `Employees, assets, and the maintenance logs that employees write on assets. Logs are an audit trail: they are never changed and never removed.

**Access.** Log in with email and password; send the response's \`token\` as \`Authorization: Bearer …\` with every other request. A token is valid for an hour, unless the operator has set another \`TOKEN_EXPIRE_TIME\`; its claim \`exp\` says until when. There is no refresh: after a 401 or 403 with \`error="invalid_token"\` in \`WWW-Authenticate\`, log in again and repeat the request. Each operation names the role that it needs. A MANAGER may do what a TECHNICIAN may, an ADMIN what a MANAGER may.

**Errors.** Every error of the service has a JSON body with \`status\` and \`msg\`. Programs decide by the status and \`WWW-Authenticate\`: the texts of \`msg\` may change. Every response has an \`X-Request-Id\`, under which the service's log tells more.

**Repeating requests.** After 408, 429 and 503, and 502 and 504 of a proxy, wait at least for the number of seconds in \`Retry-After\`, and longer after each further failure. A request that got a 500, a 503 or no response may have been carried out: send an \`Idempotency-Key\` with each create-log, so that repeating it cannot write a second log. Other requests take no key.

**Dates.** A date is a local date-time without a zone, \`YYYY-MM-DDTHH:MM[:SS[.ffffff]]\`. The service converts it to no time zone. A fraction of a second is absent where it is zero. A log has no time of its arrival; its entry in the trail has one (\`recordedAt\`). A period (\`performedFrom\`, \`performedTo\`) includes its first moment, and not its last.

**Texts.** The service stores names, emails and phone numbers without the whitespace at their ends.

**Lists.** A list is complete unless it is asked for in pages with \`limit\`. While there is more, the \`Link\` header has the address of the next page (\`rel="next"\`). A page may be empty while there is more. Following these links gives every log that was there at the start exactly once, whatever is written meanwhile.

**Compatibility.** Clients should ignore fields and headers that they do not know. The service ignores fields of a body that it does not know, and most query parameters. \`role\`, \`status\` and \`taskType\` get no new values. A breaking change would come under another prefix than \`/api/v1\`.`;

/** The groups of operations: the first segment after the version prefix, or the service itself. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  service: "The service itself: a welcome, the routes, and this description.",
  auth: "Logging in, and registering employees.",
  employees: "Employees and their roles, activity and passwords.",
  assets: "Assets, and the logs written on each of them.",
  logs: "Maintenance logs of all assets, or of one employee.",
  trail: "The provable trail: all records, numbered, hashed and signed, for those who verify them.",
};

export const tokenDescription =
  "The `token` of a login. It is valid until it expires, or until the employee is deactivated or gets another email, role or password.";

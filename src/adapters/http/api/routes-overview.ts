import { createHash } from "node:crypto";
import { prefersHtml } from "./accept.ts";
import { type Answer, json, type Route } from "./route.ts";

/** `GET /routes`: the table for programs, or the same as a page for a client that prefers HTML. */
export function overviewOf(routes: readonly Route[], accept: string | undefined): Answer {
  const vary = ["Vary", "Accept"];
  if (!prefersHtml(accept)) return json(routes.map(rowOf), vary);
  const html = ["Content-Type", "text/html; charset=utf-8", "Content-Security-Policy", contentSecurityPolicy];
  return { body: pageOf(routes), headers: [...vary, ...html] };
}

const rowOf = ({ method, path, role }: Route) => ({ method, path, roles: rolesOf(role) });

export const rolesOf = (role: Route["role"]): string[] => (role === "NONE" ? [] : [role]);

const style = `
  :root { color-scheme: light dark }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8885; vertical-align: top }
  code { font: .95em ui-monospace, monospace; overflow-wrap: anywhere }
  .method { font-weight: 600 }
  @media (max-width: 40rem) {
    thead { display: none }
    table, tbody { display: block }
    tr { display: grid; grid-template-columns: 4.6rem 1fr; padding: .5rem 0; border-bottom: 1px solid #8885 }
    td { padding: 0; border: 0 }
    td:nth-child(n + 3) { grid-column: 2; font-size: .9rem }
    td:nth-child(3) { opacity: .75 }
  }
`;

/** Nothing but this one style may load or run. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

// The table is written by hand and holds nothing that HTML would need escaped.
const pageOf = (routes: readonly Route[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Maintenance Log Service: routes</title>
<style>${style}</style>
</head>
<body>
<h1>Routes</h1>
<p>Every route but the login needs the header <code>Authorization: Bearer &lt;ACCESS_TOKEN&gt;</code>.
ADMIN may do what MANAGER may, and MANAGER what TECHNICIAN may; AUTHENTICATED is anyone logged in.</p>
<table>
<thead><tr><th>Method</th><th>Path</th><th>Role</th><th>What it does</th></tr></thead>
<tbody>
${routes.map(tableRowOf).join("\n")}
</tbody>
</table>
</body>
</html>
`;

const tableRowOf = ({ method, path, role, summary }: Route): string =>
  `<tr><td class="method">${method}</td><td><code>${path}</code></td><td>${role === "NONE" ? "open" : role}</td><td>${summary}</td></tr>`;

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The page with the hashes of its own style and script in its policy, without which the browser would use neither. */
export function withPolicy(page: string): string {
  const hashOf = (element: string): string => {
    const [, content = ""] = new RegExp(`<${element}>(.*)</${element}>`, "s").exec(page) ?? [];
    return createHash("sha256").update(content).digest("base64");
  };
  return page
    .replace(/script-src '[^']*'/, `script-src 'sha256-${hashOf("script")}'`)
    .replace(/style-src '[^']*'/, `style-src 'sha256-${hashOf("style")}'`);
}

const path = "docs/verify.html";

/** After a change to the page: `node --import tsx dev/verify-page.ts`. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(path, withPolicy(readFileSync(path, "utf8")));
}

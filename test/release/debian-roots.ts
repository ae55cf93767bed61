import { readFileSync } from "node:fs";
import { freshDebian, noContainer, type Packages } from "../support/debian-container.ts";
import { chaptersOf } from "../support/pasted-page.ts";

const installedIn = (text: string): readonly string[] =>
  [...text.matchAll(/apt install -y (.*)/g)].flatMap(([, line = ""]) =>
    line.split(" ").filter(word => /^[a-z][a-z\d-]*$/.test(word)),
  );
const [first = ""] =
  chaptersOf("docs/operations.md").find(({ title }) => title === "Installation")?.blocks ?? [];
const installed = [...installedIn(first), "iproute2"];
const pages = ["cluster", "https", "monitoring", "operations"];

/** What the pages install. What an installation begins with is there before, since unpacking it takes the longest. */
export const packages: Packages = {
  installed,
  downloaded: pages
    .flatMap(page => installedIn(readFileSync(`docs/${page}.md`, "utf8")))
    .filter(name => !installed.includes(name)),
};

// node --import tsx test/release/debian-roots.ts: makes them beforehand. The downloads take minutes.
if (process.argv[1]?.endsWith("debian-roots.ts") && noContainer() === undefined)
  freshDebian("bookworm", packages);

import type { Environment } from "./read-settings.ts";
import { everySetting } from "./settings.ts";

/** For each variable that is nearly a setting, a line that names the setting it may stand for. */
export function misspelled(environment: Environment): string[] {
  const known = new Set(everySetting.flatMap(({ name }) => [name, `${name}_FILE`]));
  return Object.keys(environment).flatMap(variable => {
    if (known.has(variable)) return [];
    // A letter in four: HOME is not HOST.
    const meant = [...known].find(name => distance(variable, name) <= name.length / 4);
    return meant === undefined ? [] : [`${variable} is no setting; ${meant}?`];
  });
}

/** How many characters have to be inserted, removed or replaced (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

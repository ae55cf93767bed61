import type { Environment } from "./read-settings.ts";
import { everySetting } from "./settings.ts";

/** For each variable that begins as a setting does and is about as long, a line that names the setting it may stand for. */
export function misspelled(environment: Environment): string[] {
  const known = everySetting.flatMap(({ name }) => [name, `${name}_FILE`]);
  const isNear = (variable: string, name: string): boolean => {
    const most = Math.floor(name.length / 4);
    return variable.startsWith(name.slice(0, -most)) && Math.abs(variable.length - name.length) <= most;
  };
  return Object.keys(environment).flatMap(variable => {
    const meant = known.includes(variable) ? undefined : known.find(name => isNear(variable, name));
    return meant === undefined ? [] : [`${variable} is no setting; ${meant}?`];
  });
}

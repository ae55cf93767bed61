import { spawnSync } from "node:child_process";

/** A reason to skip what runs curl, where there is none. */
export const noCurl =
  spawnSync("curl", ["--version"], { stdio: "ignore" }).error === undefined
    ? false
    : "there is no curl to run (Debian package curl)";

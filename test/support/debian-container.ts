import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFile,
  execFileSync,
  spawn,
  spawnSync,
} from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** Why no Debian can be booted here. */
export function noContainer(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can boot a container with systemd-nspawn";
  const missing = ["mmdebstrap", "systemd-nspawn", "nsenter"].filter(
    program => spawnSync(program, ["--version"]).error !== undefined,
  );
  if (missing.length > 0) return `this machine has no ${missing.join(", ")} for a container`;
  const { status } = spawnSync("unshare", ["--mount", "--pid", "--net", "--fork", "true"]);
  return status === 0 ? undefined : "this machine may not make the namespaces of a container";
}

/** What is in a fresh Debian beside systemd. */
export interface Packages {
  /** Those that are there before the first boot. */
  readonly installed: readonly string[];
  /** Those that a test installs: a container has no network of its own. */
  readonly downloaded: readonly string[];
  /** The release before, where some of them come from. */
  readonly older?: string;
}

/** The files of a fresh Debian with these packages. They are kept, because making them takes a minute. */
export function freshDebian(release: string, packages: Packages): string {
  const name = createHash("sha256").update(JSON.stringify(packages)).digest("hex").slice(0, 8);
  const root = `/var/tmp/maintenance-log-debian-${release}-${name}`;
  if (existsSync(root)) return root;
  const unfinished = `${root}.unfinished`;
  const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { stdio: "pipe" });
  const { installed, downloaded, older } = packages;
  const sources = [release, ...(older === undefined ? [] : [older])].map(
    name => `deb http://deb.debian.org/debian ${name} main`,
  );
  // Both stay in force in the root: dpkg does not wait for the disk, and a download is tried again.
  const options = ["--dpkgopt=force-unsafe-io", '--aptopt=Acquire::Retries "5"', "--skip=cleanup/apt"];
  const include = "--include=systemd,systemd-sysv,dbus,ca-certificates";
  run("rm", "-rf", unfinished);
  run("mmdebstrap", "--mode=root", "--variant=apt", ...options, include, release, unfinished, ...sources);
  // In a container that is not booted no server starts.
  const nspawn = "--quiet --keep-unit --register=no --suppress-sync=true --timezone=off -D".split(" ");
  const script = `
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -qy ${installed.join(" ")}
    apt-get clean
    apt-get install -qy --download-only ${downloaded.join(" ")}
    rm /var/cache/apt/*.bin`;
  run("systemd-nspawn", ...nspawn, unfinished, "sh", "-ec", script);
  shortenLists(unfinished);
  renameSync(unfinished, root);
  return root;
}

/** Leaves in the lists of apt what is installed or downloaded: each call of apt would read 60,000 packages more. */
function shortenLists(root: string): void {
  const apt = (...names: readonly string[]) => join(root, "var", ...names);
  const debs = readdirSync(apt("cache/apt/archives")).map(name => `Package: ${name.split("_")[0]}`);
  const status = readFileSync(apt("lib/dpkg/status"), "utf8");
  const known = new Set([...debs, ...(status.match(/^Package: .*$/gm) ?? [])]);
  for (const name of readdirSync(apt("lib/apt/lists")).filter(name => name.endsWith("_Packages"))) {
    const list = apt("lib/apt/lists", name);
    const entries = readFileSync(list, "utf8").split(/(?<=\n\n)/);
    writeFileSync(list, entries.filter(entry => known.has(entry.split("\n", 1)[0] ?? "")).join(""));
  }
}

export interface Shell {
  /** Pastes lines, types what is asked for at prompts, and waits until all has been carried out. Throws when a line fails. */
  paste(block: string, typed: readonly (readonly [prompt: string, text: string])[]): Promise<void>;
  close(): void;
}

/**
 * Boots a copy of a fresh Debian below `folder`, without a network but loopback. No unit waits for the disk: what it has
 * written outlives a reboot of the container all the same.
 */
export async function bootDebian(folder: string, release: string, packages: Packages): Promise<Container> {
  const root = join(folder, release);
  // cp, since cpSync would follow the links of the container to files of this machine.
  await promisify(execFile)("cp", ["-a", freshDebian(release, packages), root]);
  const container = new Container(root);
  await container.untilUp();
  return container;
}

export class Container {
  /** Of the container, as this machine sees it. */
  readonly root: string;
  private readonly groups = makeGroups();
  private nspawn: ChildProcess;
  private readonly shells: ChildProcess[] = [];

  constructor(root: string) {
    this.root = root;
    this.nspawn = startNspawn(root, this.groups);
  }

  /** Runs a shell script as root and returns its output. Rejects when a line fails; a line that must begins with `fails`. */
  async run(script: string): Promise<string> {
    const shell = spawn("nsenter", [...this.enter(), "bash", "-ex", "-o", "pipefail"]);
    // `set -e` takes no notice of a command after `!`. A script that fails reads no further.
    shell.stdin.on("error", () => {}).end(`fails() { if "$@"; then exit 1; fi; }\n${script}`);
    const ended = once(shell, "close");
    const [stdout, stderr, [status]] = await Promise.all([text(shell.stdout), text(shell.stderr), ended]);
    if (status !== 0) throw new Error(`${status}: ${stdout}${stderr}`);
    return stdout;
  }

  /** A root shell on a terminal. */
  openShell(): Shell {
    const bash = ["script", "--quiet", "--command", "bash --norc --noediting", "/dev/null"];
    const shell = spawn("nsenter", [...this.enter(), ...bash], { stdio: ["pipe", "pipe", "ignore"] });
    this.shells.push(shell);
    return shellOf(shell);
  }

  async untilUp(): Promise<void> {
    for (let attempt = 0; !this.isUp(); attempt++) {
      if (this.nspawn.exitCode !== null || attempt > 600) throw new Error(`${this.root} does not boot`);
      await sleep(100);
    }
  }

  /** Returns when all has started again. */
  async reboot(): Promise<void> {
    const ended = once(this.nspawn, "exit");
    this.closeShells();
    spawnSync("nsenter", [...this.enter(), "systemctl", "reboot"]);
    // With --keep-unit systemd-nspawn leaves it to who has started it to do so again.
    await ended;
    this.nspawn = startNspawn(this.root, this.groups);
    await this.untilUp();
  }

  async stop(): Promise<void> {
    const ended = once(this.nspawn, "exit");
    this.closeShells();
    // False where it has ended, as after a reboot that failed.
    if (this.nspawn.kill("SIGTERM")) {
      const isOver = await Promise.race([ended.then(() => true), sleep(20_000, false, { ref: false })]);
      if (!isOver) this.nspawn.kill("SIGKILL");
      await ended;
    }
    removeGroups(this.groups);
  }

  /** The container stops its processes before it ends them. An nsenter stops with its own, and would hold the container. */
  private closeShells(): void {
    for (const shell of this.shells.splice(0)) shell.kill("SIGKILL");
  }

  private init(): string {
    const { pid } = this.nspawn;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  }

  private enter(): string[] {
    return ["--target", this.init(), "--all", "env", "-i", "HOME=/root", "TERM=dumb", path];
  }

  private isUp(): boolean {
    if (this.init() === "") return false;
    const args = [...this.enter(), "systemctl", "is-system-running"];
    return /running|degraded/.test(spawnSync("nsenter", args, { encoding: "utf8" }).stdout);
  }
}

/**
 * Control groups of a container's own: with --keep-unit the services of two containers would be in the same ones, and one
 * would remove a group in which the other starts a process.
 */
function makeGroups(): readonly string[] {
  const hierarchies = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"];
  const name = `maintenance-log-${randomUUID()}`;
  const groups = hierarchies
    .filter(hierarchy => existsSync(join(hierarchy, "cgroup.procs")))
    .map(hierarchy => join(hierarchy, name));
  for (const group of groups) mkdirSync(group);
  return groups;
}

const removeGroups = (groups: readonly string[]) =>
  spawnSync("find", [...groups, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"]);

function startNspawn(root: string, groups: readonly string[]): ChildProcess {
  const enter = groups.map(group => `echo $$ > ${group}/cgroup.procs\n`).join("");
  const options =
    "--quiet --keep-unit --register=no --private-network --suppress-sync=true --console=pipe --boot";
  return spawn("sh", ["-ec", `${enter}exec systemd-nspawn ${options} -D "$0"`, root], {
    stdio: "ignore",
    // Debian 13 takes no other hierarchy.
    env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" },
  });
}

const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** apt takes the longest, on a busy machine. */
const mostMilliseconds = 300_000;

function shellOf(shell: ChildProcessByStdio<Writable, Readable, null>): Shell {
  let seen = "";
  shell.stdout.setEncoding("utf8").on("data", text => {
    seen += text;
  });
  async function until(what: string, isSeen: () => boolean): Promise<void> {
    for (const end = performance.now() + mostMilliseconds; !isSeen(); await sleep(20)) {
      if (performance.now() > end || shell.exitCode !== null) throw new Error(`no ${what} in:\n${seen}`);
    }
  }
  // The terminal shows what is typed, too: there, no line reads as what the shell prints.
  shell.stdin.write("PS1='# ' PS2=''\ntrap 'echo \"fail\"\"ed: $BASH_COMMAND\"' ERR\n");
  return {
    async paste(block, typed) {
      seen = "";
      // A person does not paste two restarts within a second, and systemd 257 loses a start that comes with a reload.
      if (block.includes("systemctl")) await sleep(1_000);
      shell.stdin.write(block);
      for (const [prompt, text] of typed) {
        await until(prompt, () => seen.endsWith(prompt));
        shell.stdin.write(`${text}\n`);
      }
      // These read what is typed ahead: so they are the last of their blocks, and a person waits for them.
      if (readsTerminal.test(block)) await until("prompt", () => seen.endsWith("# "));
      shell.stdin.write('echo "all"" done"\n');
      // With the prompt, which would otherwise pass for that of the next block.
      await until("end", () => /all done\r?\n# /.test(seen));
      if (/^failed: /m.test(seen)) throw new Error(seen);
    },
    close: () => shell.stdin.end("exit\n"),
  };
}

const readsTerminal = /^(apt|maintenance-log create-admin) .*\n$(?![\s\S])/m;

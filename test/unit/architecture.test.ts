import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, test } from "node:test";

type Sources = ReadonlyMap<string, string>;

/** From the centre outwards: a file may import its own layer's files and those of the layers before it. */
const layers: readonly { readonly name: string; readonly files: RegExp }[] = [
  { name: "domain", files: /^src\/domain\// },
  { name: "application", files: /^src\/application\// },
  { name: "adapters", files: /^src\/adapters\// },
  { name: "app", files: /^src\/(app\.ts$|config\/)/ },
  { name: "commands", files: /^src\/commands\// },
  { name: "main", files: /^src\/(main|program)\.ts$/ },
];

/** The rooms of an adapter, in the same order; files beside the rooms may import them all. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  http: ["api", "request", "server"],
  postgres: ["connection", "batching", "trail", "repositories", "schema"],
  ops: ["figures", "metrics", "page"],
};

/** One reason to exist needs no more. */
const mostLines = 250;

/** What may not be said, and the only files that may. */
const bans: readonly { readonly what: string; readonly pattern: RegExp; readonly except: RegExp }[] = [
  { what: "process.env", pattern: /process\.env/, except: /^src\/main\.ts$/ },
  { what: "the time of day", pattern: /new Date\(|Date\.now\(/, except: /^src\/adapters\/system-clock\.ts$/ },
  { what: "select *", pattern: /select\s+\*/i, except: /^$/ },
  {
    what: "SQL that is no template",
    pattern: /\.unsafe[(<]|\bscript\(|new Statement\(|\bsql\(|as TemplateStringsArray/,
    except: /^src\/adapters\/postgres\/(connection\/(driver|statement)|schema\/(migrations|protection))\.ts$/,
  },
  {
    what: "require",
    pattern: /createRequire|\brequire\(/,
    except: /^src\/adapters\/argon2-password-hasher\.ts$/,
  },
  {
    what: "an undocumented interface of Node",
    pattern:
      /\b_handle\b|\.parser\b|\bonIncoming\b|TickObject|\bsocket\._\w|\.prototype\.\w+\.(call|apply|bind)\(|\b(request|response|socket|req|res)\.(push|write|end|emit|destroy|destroySoon) = /,
    except: /^src\/adapters\/http\/server\/http-connection\.ts$/,
  },
  { what: "an import of node:http", pattern: /^import (?!type )[^;]*from "node:http"/m, except: /^$/ },
  { what: "console", pattern: /console\./, except: /^src\/(main|program)\.ts$/ },
  { what: "Math.random", pattern: /Math\.random/, except: /^$/ },
  { what: "what is random", pattern: /\brandom[A-Z]|\bgenerateKey/, except: /^src\/(adapters|commands)\// },
  { what: "a way around the types", pattern: /\bas any\b|@ts-(ignore|expect-error|nocheck)/, except: /^$/ },
  {
    what: "a route outside the table",
    pattern: /"\/api\/v\d/,
    except: /^src\/adapters\/http\/api\/routes\.ts$/,
  },
];

/** Each library is imported by its own adapter, and by nobody else. */
const libraries: Readonly<Record<string, RegExp>> = {
  jose: /^src\/adapters\/jose-tokens\.ts$/,
  "@node-rs/argon2": /^src\/adapters\/argon2-password-hasher\.ts$/,
  postgres: /^src\/adapters\/postgres\/connection\/driver\.ts$/,
};

/** The domain and the application compute; what they need of the world comes through ports. */
const pureLayers = /^src\/(domain|application)\//;
/** They only compute; of the second one, what is random is banned above. */
const pureModules = ["node:url", "node:crypto"];

/** What both HTTP servers need of HTTP. It is the one folder that adapters share, and imports none of them. */
const shared = "protocol";

/** An adapter is a folder of src/adapters, or a single file there. */
const adapterOf = (file: string): string | undefined => /^src\/adapters\/([^/]+)/.exec(file)?.[1];

/** The room and its place among those of its adapter; undefined for a file that is in none. */
function roomOf(file: string): { readonly adapter: string; readonly place: number } | undefined {
  const [, adapter = "", room] = /^src\/adapters\/([^/]+)\/([^/]+)\//.exec(file) ?? [];
  return room === undefined ? undefined : { adapter, place: rooms[adapter]?.indexOf(room) ?? -1 };
}

/** By the text of a file: a planted fault changes one file of many. */
const knownImports = new Map<string, readonly string[]>();
function importsOf(text: string): readonly string[] {
  const found =
    knownImports.get(text) ??
    [
      ...text.matchAll(/^(?:import|export)\s[^;]*?from "([^"]+)"|^import "([^"]+)"|import\("([^"]+)"\)/gm),
    ].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? "");
  knownImports.set(text, found);
  return found;
}

/** `@scope/name/part` is a part of the package `@scope/name`. */
const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";

/** @param looked the files that are looked at, beside the imports of all */
function faultsOf(sources: Sources, looked = [...sources.keys()]): string[] {
  const faults: string[] = [];
  const rank = (file: string) => layers.findIndex(({ files }) => files.test(file));
  for (const file of looked) {
    const text = sources.get(file) ?? "";
    if (rank(file) < 0) faults.push(`${file} is in no layer`);
    if (roomOf(file)?.place === -1) faults.push(`${file} is in no known room`);
    if (text.split("\n").length > mostLines + 1) {
      faults.push(`${file} has more than ${mostLines} lines`);
    }
    for (const { what, pattern, except } of bans) {
      if (pattern.test(text) && !except.test(file)) faults.push(`${file} uses ${what}`);
    }
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith(".")) {
        if (pureModules.includes(specifier)) continue;
        if (pureLayers.test(file)) faults.push(`${file} imports ${specifier}`);
        else if (!specifier.startsWith("node:") && libraries[packageOf(specifier)]?.test(file) !== true) {
          faults.push(`${file} imports the library ${specifier}`);
        }
        continue;
      }
      const target = normalize(join(dirname(file), specifier));
      if (!sources.has(target)) faults.push(`${file} imports ${target}, which is not there`);
      else if (rank(target) > rank(file)) faults.push(`${file} imports ${target}, which is further out`);
      const [from, to] = [adapterOf(file), adapterOf(target)];
      if (from !== undefined && to !== undefined && from !== to && to !== shared) {
        faults.push(`${file} imports ${target}, of another adapter`);
      }
      const [room, other] = [roomOf(file), roomOf(target)];
      if (room !== undefined && from === to && (other === undefined || other.place > room.place)) {
        faults.push(`${file} imports ${target}, of a later room`);
      }
    }
  }
  return [...faults, ...circles(sources), ...deadFiles(sources)];
}

/** Files that import each other, types included. */
function circles(sources: Sources): string[] {
  const visited = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [`${path.slice(path.indexOf(file)).join(", ")} import each other`];
    if (visited.has(file)) return [];
    visited.add(file);
    const targets = importsOf(sources.get(file) ?? "").filter(specifier => specifier.startsWith("."));
    return targets.flatMap(target => visit(normalize(join(dirname(file), target)), [...path, file]));
  };
  return [...sources.keys()].flatMap(file => visit(file, []));
}

/** What runs on any machine with Node alone: without settings, a database, or a package. */
const standalone = [
  "src/program.ts",
  "src/commands/trail-key.ts",
  "src/commands/verify.ts",
  "src/commands/audit.ts",
];
const ofTheService = /^src\/(app|config\/settings)\.ts$|^src\/adapters\/(postgres|http|ops|jose|argon2)/;

/** The files that these lead to, themselves included, and the modules that any of them imports. */
function reachedFrom(
  starts: readonly string[],
  sources: Sources,
  importsIn: (text: string) => readonly string[],
): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const specifier of importsIn(sources.get(name) ?? ""))
      visit(specifier.startsWith(".") ? normalize(join(dirname(name), specifier)) : specifier);
  };
  starts.forEach(visit);
  return reached;
}

/** What these files load, as soon as they are loaded, of the service. Types, and what a command loads itself, do not count. */
function loadedOfTheService(sources: Sources): string[] {
  const importsAtOnce = (text: string) =>
    importsOf(text.replace(/^(?:import|export) type\s[^;]*;/gm, "").replaceAll("import(", ""));
  return [...reachedFrom(standalone, sources, importsAtOnce)].filter(
    name => ofTheService.test(name) || !/^(src\/|node:)/.test(name),
  );
}

/** Files that nothing reaches from main. */
function deadFiles(sources: Sources): string[] {
  const reached = reachedFrom(["src/main.ts"], sources, importsOf);
  return [...sources.keys()].filter(file => !reached.has(file)).map(file => `${file} is used by nothing`);
}

function readSources(): Sources {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(file =>
    file.endsWith(".ts"),
  );
  return new Map(files.map(file => [join("src", file), readFileSync(join("src", file), "utf8")]));
}

describe("the architecture", () => {
  test("holds in every source file", () => {
    assert.deepEqual(faultsOf(readSources()), []);
  });

  const sources = readSources();
  const planted = (file: string, text: string): Sources =>
    new Map([...sources, [file, `${sources.get(file) ?? ""}\n${text}`]]);

  const [role, rights] = ["src/domain/role.ts", "src/adapters/postgres/schema/rights.ts"] as const;
  const [body, server] = ["src/adapters/http/request/body.ts", "src/adapters/http/server/server.ts"] as const;
  for (const [file, text, fault] of [
    [role, 'import { x } from "../application/ports.ts";', /role\.ts imports .* further out/],
    [role, 'import fs from "node:fs";', /role\.ts imports node:fs/],
    ["src/application/assets.ts", 'import { x } from "../adapters/system-clock.ts";', /further out/],
    ["src/application/assets.ts", 'import postgres from "postgres";', /imports postgres/],
    [body, 'import { x } from "../../postgres/batching/pages.ts";', /of another adapter/],
    [
      "src/adapters/protocol/request-head.ts",
      'import { x } from "../http/request/body.ts";',
      /of another adapter/,
    ],
    [body, 'import { SignJWT } from "jose";', /imports the library jose/],
    [body, 'import { SignJWT } from "jose/jwt/sign";', /imports the library jose/],
    [body, 'import express from "express";', /imports the library express/],
    [body, 'import { x } from "../../../app.ts";', /further out/],
    [body, 'import { x } from "./gone.ts";', /not there/],
    ["src/adapters/http/api/entity-tag.ts", 'import { x } from "../request/body.ts";', /of a later room/],
    ["src/adapters/ops/figures/recent.ts", 'import { x } from "../ops-server.ts";', /of a later room/],
    ["src/application/clock-and-log.ts", 'import type { x } from "./ports.ts";', /import each other/],
    ["src/adapters/http/attic/x.ts", "export {};", /in no known room/],
    [role, "\n".repeat(250), /has more than 250 lines/],
    [rights, "script(name);", /uses SQL that is no template/],
    [rights, "sql([name] as never);", /uses SQL that is no template/],
    [rights, "const text = [name] as unknown as TemplateStringsArray;", /uses SQL that is no template/],
    [body, 'createRequire(import.meta.url)("pg");', /uses require/],
    [body, 'import { STATUS_CODES } from "node:http";', /an import of node:http/],
    [body, "const x = process.env;", /uses process\.env/],
    [server, "socket._handle.readStop();", /uses an undocumented interface/],
    [server, "socket.parser.onIncoming = f;", /uses an undocumented interface/],
    [
      "src/adapters/http/server/draining.ts",
      "Server.prototype.close.call(x);",
      /uses an undocumented interface/,
    ],
    [body, "request.push = f;", /uses an undocumented interface/],
    [body, "const x = new Date();", /uses the time of day/],
    [body, "const x = Math.random();", /uses Math\.random/],
    ["src/domain/trail/note.ts", "randomBytes(32);", /uses what is random/],
    [body, "console.log(1);", /uses console/],
    [body, 'const path = "/api/v1/x";', /uses a route outside/],
    ["src/adapters/postgres/batching/pages.ts", "sql`select * from asset`;", /uses select \*/],
    ["src/domain/asset.ts", "const x = 1 as any;", /uses a way around the types/],
    ["src/helpers.ts", "export {};", /in no layer/],
    ["src/adapters/http/api/planted.ts", "export {};", /used by nothing/],
  ] as const) {
    test(`a planted fault is found: ${file}: ${text}`, () => {
      assert.ok(faultsOf(planted(file, text), [file]).some(found => fault.test(found)));
    });
  }

  test("a file that something imports is not dead", () => {
    const withUser = new Map(planted("src/adapters/http/api/planted.ts", "export {};"));
    withUser.set("src/app.ts", `import "./adapters/http/api/planted.ts";\n${sources.get("src/app.ts")}`);
    assert.deepEqual(faultsOf(withUser), []);
  });
});

describe("the tests", () => {
  /** A loop that only waits has no end of its own; `until` fails after a deadline. */
  const waits = (text: string): string[] => text.match(/^\s*while \(.*\)(;| await .*)$/gm) ?? [];

  test("wait in no loop of their own", () => {
    const files = readdirSync("test", { recursive: true, encoding: "utf8" }).filter(
      file => file.endsWith(".ts") && !file.startsWith("lab"),
    );
    for (const file of files) assert.deepEqual(waits(readFileSync(join("test", file), "utf8")), [], file);
  });

  test("a planted fault is found", () => {
    assert.equal(waits("while (await commits());\n  while (!ended) await sleep(1);").length, 2);
  });
});

describe("the commands that verify", () => {
  const sources = readSources();

  test("load nothing of the service, and no package", () => {
    assert.deepEqual(loadedOfTheService(sources), []);
  });

  for (const [file, text, fault] of [
    ["src/program.ts", 'import { x } from "./config/settings.ts";', "src/config/settings.ts"],
    [
      "src/commands/verify.ts",
      'import { x } from "../adapters/postgres/batching/pages.ts";',
      "src/adapters/postgres/batching/pages.ts",
    ],
    ["src/commands/verify-proof.ts", 'import { x } from "../app.ts";', "src/app.ts"],
    ["src/domain/trail/note.ts", 'import "jose";', "jose"],
  ] as const) {
    test(`a planted fault is found: ${file}: ${text}`, () => {
      const planted = new Map(sources).set(file, `${text}\n${sources.get(file)}`);
      assert.ok(loadedOfTheService(planted).includes(fault));
    });
  }
});

describe("the production tree", () => {
  test("is installed without scripts of packages, as is what it is built with", () => {
    for (const [file, count] of [
      ["Makefile", 1],
      ["deploy/install", 1],
      [".ci/run", 2],
    ] as const) {
      const installs =
        readFileSync(file, "utf8").match(/(?<!^#.*)npm (ci|install) [^#\n]*(\\\n[^\n]*)*/gm) ?? [];
      const unguarded = installs.filter(command => !command.includes("--ignore-scripts"));
      assert.deepEqual([installs.length >= count, unguarded], [true, []], file);
    }
  });

  test("has three direct packages, exactly pinned", () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    assert.deepEqual(Object.keys(dependencies), ["@node-rs/argon2", "jose", "postgres"]);
    for (const version of Object.values({ ...dependencies, ...devDependencies })) {
      assert.match(String(version), /^\d+\.\d+\.\d+$/);
    }
  });

  test("has one package more, argon2 for the machine's own platform, and each is known by its bytes", () => {
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
    const locked = Object.entries<Record<string, unknown>>(packages).filter(
      ([path, { dev }]) => path !== "" && dev !== true,
    );
    const [platforms, others] = [true, false].map(wanted =>
      locked.filter(([, { optional }]) => (optional === true) === wanted).map(([path]) => path),
    );
    assert.deepEqual(
      others,
      ["@node-rs/argon2", "jose", "postgres"].map(name => `node_modules/${name}`),
    );
    for (const path of platforms ?? []) assert.match(path, /^node_modules\/@node-rs\/argon2-[a-z\d-]+$/);
    for (const [path, { integrity, hasInstallScript }] of locked) {
      assert.match(String(integrity), /^sha512-/, path);
      assert.equal(hasInstallScript, undefined, path);
    }
  });
});

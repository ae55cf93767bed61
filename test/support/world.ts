import { describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeArgon2PasswordHasher } from "../../src/adapters/argon2-password-hasher.ts";
import type { TrustedProxies } from "../../src/adapters/http/request/client-address.ts";
import type { AllowedOrigins } from "../../src/adapters/http/request/cors.ts";
import type { HttpLimits } from "../../src/adapters/http/request/limits.ts";
import type { HttpServer } from "../../src/adapters/http/server/server.ts";
import { makeJoseTokens } from "../../src/adapters/jose-tokens.ts";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { makeApp } from "../../src/app.ts";
import type { RequestMeter } from "../../src/application/figures.ts";
import type { Account, PasswordHasher, Ports, Repositories } from "../../src/application/ports.ts";
import { makeTrail } from "../../src/application/trail/trail.ts";
import { type Employee, emailKey } from "../../src/domain/employee.ts";
import { type Role, roles } from "../../src/domain/role.ts";
import { makeSignerKey, type SignerKey } from "../../src/domain/trail/note.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { makeFakePasswordHasher } from "../fakes/fake-password-hasher.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { makeRecordingEventLog, type RecordedEvent } from "../fakes/recording-event-log.ts";
import { byAdmin } from "./by-admin.ts";
import { type Call, makeClient } from "./client.ts";
import { connectTo } from "./connect-to.ts";
import { openDatabase } from "./database.ts";
import { closeEmpty } from "./given-back.ts";
import { closeAtEnd, shared } from "./left-open.ts";
import { anEmployee, aRegistration } from "./test-records.ts";

export const api = "/api/v1";
export const secretKey = "a secret of the tests, of more than thirty-two bytes";
export const issuer = "maintenance-log";
export const lifetimeSeconds = 3_600;
/** The password of every employee that a world begins with. */
export const password = aRegistration().password;

/** The real server over some ports, with one employee of each role. */
export interface World {
  readonly port: number;
  readonly call: Call;
  /** What a test does with them it does as the ADMIN, unless it says otherwise. */
  readonly ports: Omit<Ports, keyof Repositories> & ReturnType<typeof byAdmin>;
  /** As the server has them. */
  readonly served: Ports;
  readonly clock: ReturnType<typeof makeFakeClock>;
  readonly recorded: readonly RecordedEvent[];
  readonly trail: ReturnType<typeof makeTrail>;
  /** Numbers what is new and signs it, as the service does each second. */
  cover(): Promise<void>;
  readonly employees: Readonly<Record<Role, Employee>>;
  readonly tokens: Readonly<Record<Role, string>>;
  readonly load: HttpServer["load"];
  /** Registers an employee of this role and logs in. */
  join(role: Role): Promise<{ employee: Employee; token: string }>;
  /** Waits for requests under way this long at most. */
  close(graceMilliseconds?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Choices {
  readonly repositories?: Repositories;
  readonly passwords?: PasswordHasher;
  readonly allowedOrigins?: AllowedOrigins;
  readonly trustedProxies?: TrustedProxies;
  readonly meter?: RequestMeter;
  readonly limits?: Partial<HttpLimits>;
  /** Null: the trail is not signed. */
  readonly key?: SignerKey | null;
}

export const trailKey = makeSignerKey("trail.example.com", new Uint8Array(32).fill(7));

export async function openWorld(choices: Choices = {}): Promise<World> {
  const clock = makeFakeClock();
  const { repositories = makeMemoryRepositories(clock), passwords = makeFakePasswordHasher() } = choices;
  const events = makeRecordingEventLog();
  const tokens = await makeJoseTokens({ secretKey, issuer, tokenLifetimeSeconds: lifetimeSeconds }, clock);
  const operated = byAdmin(repositories);
  const ports: Ports = { ...repositories, passwords, tokens, events, clock };
  const { allowedOrigins = "*", trustedProxies = [], limits = {}, meter } = choices;
  const trail = makeTrail({
    trail: repositories.trail,
    requestTrail: repositories.trail,
    key: choices.key === null ? undefined : (choices.key ?? trailKey),
    stateFile: undefined,
    events,
    clock,
    pause: sleep,
  });
  const app = makeApp(ports, trail.published, { allowedOrigins, trustedProxies, limits }, meter);
  // A timer holds a connection that has been refused.
  const lingers = (limits.lingerMilliseconds ?? 0) > 10_000;
  const port = await app.listen(0, "127.0.0.1");
  const closed = closeAtEnd(() => closeEmpty(app, port, 0, lingers));
  const call = makeClient(port);

  const passwordHash = await passwords.hash(password, ["operator"]);
  const admin = await operated.admin(anEmployee({ passwordHash }));
  const logIn = async (employee: Employee) => {
    const account = (await repositories.employees.findAccount(emailKey(employee.email))) as Account;
    return { employee, token: await tokens.sign(account) };
  };
  const join = async (role: Role) =>
    logIn(await operated.employees.insert(anEmployee({ role, passwordHash })));
  const joined = {
    TECHNICIAN: await join("TECHNICIAN"),
    MANAGER: await join("MANAGER"),
    ADMIN: await logIn(admin),
  };
  // A database has a clock of its own: nobody has joined in the future.
  clock.advance((Date.now() - clock.now().getTime()) / 1_000);
  const ofEach = <T>(pick: (one: { employee: Employee; token: string }) => T) =>
    Object.fromEntries(roles.map(role => [role, pick(joined[role])])) as Record<Role, T>;
  return {
    port,
    call,
    ports: { ...ports, ...operated },
    served: ports,
    clock,
    recorded: events.recorded,
    trail,
    async cover() {
      clock.advance(2);
      await trail.poll();
    },
    employees: ofEach(({ employee }) => employee),
    tokens: ofEach(({ token }) => token),
    join,
    load: () => app.load(),
    close(graceMilliseconds = 0) {
      closed();
      return closeEmpty(app, port, graceMilliseconds, lingers);
    },
    [Symbol.asyncDispose](this: World) {
      return this.close();
    },
  };
}

async function openPostgresWorld(passwords: PasswordHasher = makeArgon2PasswordHasher()): Promise<World> {
  const { url, drop } = await openDatabase();
  const database = connectTo(url);
  const closed = closeAtEnd(() => database.close());
  const world = await openWorld({
    repositories: makeRepositories(database),
    passwords,
  });
  return {
    ...world,
    async close() {
      await world.close();
      closed();
      await database.close();
      await drop();
    },
  };
}

type Open = (passwords?: PasswordHasher) => Promise<World>;

/** A suite of what is promised over HTTP: it holds over the fakes, which is fast, and over the real adapters. */
export function describeInWorlds(
  what: string,
  suite: (world: World, open: Open) => void | Promise<void>,
): void {
  const inMemory: Open = passwords => openWorld(passwords && { passwords });
  for (const [name, open] of Object.entries({ "in memory": inMemory, "on PostgreSQL": openPostgresWorld }))
    describe(`${what}, ${name}`, async () => suite(await shared(open()), open));
}

import postgres from "postgres";
import { compare, readRows, replay } from "./audit.ts";
import { type Cluster, makeCluster } from "./cluster.ts";
import { type Load, type LoadChoices, recoveryMilliseconds, startLoad } from "./load.ts";
import { stablePort } from "./processes.ts";
import { runCommand, type ServiceProcess, type Settings, startService } from "./program.ts";
import { type Place, send } from "./request.ts";
import type { Outcome, Trial } from "./scenario.ts";

export const databaseName = "faults";
export const adminEmail = "admin@example.com";
export const adminPassword = "the password of the ADMIN";

interface Choices {
  /** Started; one of its own without it. */
  readonly cluster?: Cluster;
  /** What the service is told, when that is not the cluster itself. */
  readonly serviceUrl?: (cluster: Cluster) => string;
  /** What the service is told besides. */
  readonly settings?: Settings;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A PostgreSQL, a service on it, and an ADMIN who is logged in. */
export async function openStage(trial: Trial, choices: Choices = {}) {
  const { program, random } = trial;
  const cluster = choices.cluster ?? (await startedCluster(trial));
  await query(cluster.url("postgres"), `create database ${databaseName}`);
  const owner = { DATABASE_URL: cluster.url(databaseName) };
  await runCommand(program, ["migrate"], owner);
  await runCommand(program, ["create-admin", "--email", adminEmail], {
    ...owner,
    ADMIN_PASSWORD: adminPassword,
  });

  const settings = {
    DATABASE_URL: choices.serviceUrl?.(cluster) ?? cluster.url(databaseName),
    SECRET_KEY: "a secret of the fault tests, of more than thirty-two bytes",
    ...choices.settings,
  };
  const port = await stablePort();
  let service = await startService(program, port, settings);
  const others = new Set<ServiceProcess>();
  const token = await logIn(port);
  const assetIds = [await createAsset(port, token), await createAsset(port, token)] as const;
  return {
    cluster,
    token,
    assetIds,
    /** Of the first service, which every restart takes again. */
    port,
    /** Not in the short form, beside which other tests take the machine. */
    judgesTimes: !trial.short,
    /** What services on this database are told. */
    settings,
    service: () => service,
    /** Starts the service again on its port after it has ended, from another version if one is given. */
    async restart(version = program) {
      service = await startService(version, port, settings);
    },
    /** Starts another service on the same database, or again after it has ended. */
    async startAnother(otherPort: number, more: Settings = {}, version = program) {
      const other = await startService(version, otherPort, { ...settings, ...more });
      others.add(other);
      return other;
    },
    load: (more?: Partial<LoadChoices>) => startLoad({ ports: [port], token, assetIds, random, ...more }),
    async [Symbol.asyncDispose]() {
      await Promise.all([service, ...others].map(one => one.stop().catch(() => one.kill())));
      await cluster.remove();
    },
  };
}

async function startedCluster({ binaries }: Trial): Promise<Cluster> {
  const cluster = await makeCluster(binaries);
  await cluster.start();
  return cluster;
}

/** Runs one statement as the superuser. */
export async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export async function logIn(port: Place): Promise<string> {
  const body = { email: adminEmail, password: adminPassword };
  const { status, json } = await send(port, "/api/v1/auth/login", { method: "POST", body });
  if (status !== 200) throw new Error(`the login was answered ${status}: ${JSON.stringify(json)}`);
  return (json as { token: string }).token;
}

export async function createAsset(port: Place, token: string): Promise<number> {
  const body = { name: "Pump" };
  const { status, json } = await send(port, "/api/v1/assets", { method: "POST", body, token });
  if (status !== 201) throw new Error(`the asset was answered ${status}: ${JSON.stringify(json)}`);
  return (json as { id: number }).id;
}

interface Conclusion {
  readonly rounds: number;
  readonly recoveries?: readonly number[];
  /** Milliseconds that a recovery may take. */
  readonly recoveryLimit?: number;
  readonly notes?: readonly string[];
  readonly faults?: readonly string[];
  /** The server that is written to now, when that is no longer the first one. */
  readonly cluster?: Cluster;
}

/** Answers within the deadline of 5 s, with some time for a busy machine. */
export const slowestMilliseconds = 6_000;

/** Ends the load, and holds everything that the clients were told against what is stored. */
export async function conclude(stage: Stage, load: Load, conclusion: Conclusion): Promise<Outcome> {
  const {
    rounds,
    recoveries = [],
    recoveryLimit = recoveryMilliseconds,
    notes = [],
    faults = [],
  } = conclusion;
  await load.stop();
  const death = stage.service().death();
  if (death !== undefined) throw new Error(death);
  const replayFaults = await replay(load, stage.port, stage.token);
  const cluster = conclusion.cluster ?? stage.cluster;
  const { lost, doubled, unknown } = compare(await readRows(cluster.url(databaseName)), load);
  const slowest = load.slowestMilliseconds();
  const late = Math.max(0, ...recoveries) > recoveryLimit;
  const times = [
    ...(late ? [`a recovery took more than ${recoveryLimit} ms`] : []),
    ...(slowest > slowestMilliseconds ? [`an answer took ${slowest} ms`] : []),
  ];
  const stopFault = await faultOfStop(stage.service());
  const statuses = [...load.statuses].map(([status, times]) => `${times} x ${status}`).join(", ");
  return {
    rounds,
    acknowledged: load.acknowledged.size,
    lost,
    doubled,
    hung: load.hung(),
    recoveries,
    notes: [`answers: ${statuses}; slowest ${slowest} ms`, ...notes],
    faults: [
      ...load.faults,
      ...replayFaults,
      ...(stage.judgesTimes ? times : []),
      ...(unknown > 0 ? [`${unknown} rows were never sent`] : []),
      ...(stopFault === undefined ? [] : [stopFault]),
      ...faults,
    ],
  };
}

/** After all this the service still stops when it is asked to. */
export async function faultOfStop(service: ServiceProcess): Promise<string | undefined> {
  try {
    await service.stop();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

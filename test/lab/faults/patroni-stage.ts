import { randomInt } from "node:crypto";
import { startCluster } from "../../../dev/cluster/cluster.ts";
import { prepareDatabase } from "../../../dev/cluster/database.ts";
import type { Programs } from "../../../dev/cluster/programs.ts";
import { type Load, startLoad } from "./load.ts";
import { runCommand, type ServiceProcess, type Settings, startService } from "./program.ts";
import { startReads } from "./reads.ts";
import type { Place } from "./request.ts";
import type { Trial } from "./scenario.ts";
import { adminEmail, adminPassword, createAsset, logIn } from "./stage.ts";

/** Two services that reach the database in one way, and the clients of these. */
export interface Way {
  readonly name: "proxy" | "hosts";
  /** Where its clients go. */
  readonly places: readonly [Place, ...Place[]];
  services(): readonly ServiceProcess[];
  /** SIGKILL for the first of the two, and its start. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  load(): Load;
  reads(): ReturnType<typeof startReads>;
}

interface Choices {
  /** Where the leader of the start is among the hosts of DATABASE_URL. */
  readonly leaderIs: "first" | "last";
}

export type PatroniStage = Awaited<ReturnType<typeof openPatroniStage>>;

/** What docs/cluster.md describes, with an ADMIN who is logged in. */
export async function openPatroniStage(trial: Trial, programs: Programs, { leaderIs }: Choices) {
  const { program, random } = trial;
  // So that nobody else's cluster is in the way.
  const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const cluster = await startCluster(programs, network);
  try {
    const database = await prepareDatabase(cluster);
    const owner = { DATABASE_URL: database.ownerUrl() };
    await runCommand(program, ["migrate"], owner);
    const admin = { ...owner, ADMIN_PASSWORD: adminPassword };
    await runCommand(program, ["create-admin", "--email", adminEmail], admin);
    cluster.startProxy();

    const nodeOf = async (role: string) => {
      const name = (await cluster.members()).find(member => member.role === role)?.name;
      const node = cluster.nodes.find(node => node.name === name);
      if (node === undefined) throw new Error(`no node is the ${role}`);
      return node;
    };
    const leader = await nodeOf("leader");
    const standby = await nodeOf("sync_standby");
    const others = cluster.nodes.filter(node => node !== leader);
    const order = leaderIs === "first" ? [leader, ...others] : [...others, leader];
    const hosts = order.map(({ address }) => `${address}:5432`).join(",");

    const start = (host: number, url: string) =>
      startService(program, 7_070, settingsOf(`${network}.${host}`, url));
    let token = "";
    let assetIds: readonly [number, ...number[]] = [0];
    const openWay = async (
      name: Way["name"],
      url: string,
      numbers: readonly [number, number],
      places: Way["places"],
    ): Promise<Way> => {
      const [first, second] = numbers;
      let services = await Promise.all([start(first, url), start(second, url)]);
      return {
        name,
        places,
        services: () => services,
        kill: () => (services[0] as ServiceProcess).kill(),
        async restart() {
          services = [await start(first, url), services[1] as ServiceProcess];
        },
        load: () =>
          startLoad({ ports: places, token, assetIds, random, cutsAreFine: true, refusals: [502, 503] }),
        reads: () =>
          startReads({
            port: places[0],
            path: `/api/v1/assets/${assetIds[0]}`,
            token,
            clients: 4,
            pauseMilliseconds: 5,
          }),
      };
    };
    const proxied = database.serviceUrl(`${network}.10:5000`);
    const ways = [
      await openWay("proxy", proxied, [21, 22], [`${network}.10:8080`]),
      await openWay(
        "hosts",
        database.serviceUrl(hosts),
        [23, 24],
        [`${network}.23:7070`, `${network}.24:7070`],
      ),
    ] as const;
    token = await logIn(ways[1].places[0]);
    assetIds = [await createAsset(ways[1].places[0], token), await createAsset(ways[1].places[0], token)];
    return {
      cluster,
      /** Over all nodes, or to one. */
      superuserUrl: database.superuserUrl,
      token,
      ways,
      /** At the start, as the standby. */
      leader,
      standby,
      leaderNow: () => nodeOf("leader"),
      async close() {
        await Promise.all(ways.flatMap(way => way.services()).map(one => one.stop().catch(() => one.kill())));
        cluster.close();
      },
    };
  } catch (error) {
    cluster.close();
    throw error;
  }
}

const settingsOf = (host: string, url: string): Settings => ({
  DATABASE_URL: url,
  SECRET_KEY: "a secret of the fault tests, of more than thirty-two bytes",
  HOST: host,
  OPS_HOST: host,
  OPS_PORT: "7071",
});

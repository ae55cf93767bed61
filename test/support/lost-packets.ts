import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { sql } from "../../src/adapters/postgres/connection/statement.ts";
import { openSockets } from "./accepted-sockets.ts";
import { connectTo } from "./connect-to.ts";
import { findPostgresBinaries, startNativePostgres } from "./native-postgres.ts";
import { repositoriesListing } from "./own-reads.ts";
import { dial } from "./raw-client.ts";
import { bearerOf, host, login } from "./raw-request.ts";
import { aStoredLog } from "./test-records.ts";
import { succeeds, until } from "./until.ts";
import { api, openWorld } from "./world.ts";

/*
 * A process in a network of its own (started by lost-packets.test.ts), which loses all packets when it says so: nobody hears of
 * an end, and an attempt to connect gets no response.
 */
const run = (command: string) => {
  const [program = "", ...args] = command.split(" ");
  execFileSync(program, args);
};
const lose = () => run("tc qdisc add dev lo root pfifo limit 0");
const heal = () => run("tc qdisc del dev lo root");

async function loseClients(): Promise<void> {
  let lists = 0;
  const list = async function* () {
    lists += 1;
    try {
      for (;;) yield { content: Buffer.alloc(100_000, "1"), next: aStoredLog() };
    } finally {
      lists -= 1;
    }
  };
  await using world = await openWorld({
    limits: {
      receiveMilliseconds: 3_000,
      stallMilliseconds: 3_000,
      keepAliveMilliseconds: 3_000,
      lingerMilliseconds: 20,
      sweepMilliseconds: 10,
    },
    repositories: repositoriesListing(list),
  });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`;
  const body = "Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{";
  const sent = ["", "GET / HTT", `POST ${login} HTTP/1.1\r\n${host}${body}`, get("/"), get(`${api}/logs`)];
  const clients = await Promise.all(sent.map(() => dial(world.port)));
  for (const [at, { socket }] of clients.entries()) socket.write(sent[at] ?? "");
  await until(() => lists === 1 && clients[3]?.text().includes("200 OK"));
  lose();
  await until(() => openSockets(world.port).length === 0 && lists === 0);
  assert.ok(
    clients.every(({ socket }) => !socket.destroyed),
    "no client hears of it",
  );
  heal();
  assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
  for (const { socket } of clients) socket.destroy();
}

async function loseServer(): Promise<void> {
  const { url, stop } = await startNativePostgres(findPostgresBinaries() ?? assert.fail());
  const database = connectTo(url, { connections: 4, deadlineMilliseconds: 500, waiting: 4 });
  const ask = () => database.query(sql`select 1`);
  const sockets = () => process.getActiveResourcesInfo().filter(name => name === "TCPSocketWrap").length;
  const unavailable = { code: "UNAVAILABLE" };
  await until(() => succeeds(Promise.all([ask(), ask(), ask()])));
  const underWay = assert.rejects(database.query(sql`select pg_sleep(60)`), unavailable);
  lose();
  await underWay;
  // One for each connection that is open, and more, which nobody hears of.
  for (let left = 5; left > 0; left -= 1) await assert.rejects(ask(), unavailable);
  // Neither what was open is left, nor what never opened, nor a request to cancel.
  await until(() => sockets() === 0);
  heal();
  await until(() => succeeds(ask()));
  await database.close();
  await stop();
}

run("ip link set lo up");
// The kernel of this machine sends a packet that it lost itself again each half a second: it must not give up before the service.
for (const name of ["tcp_retries2", "tcp_syn_retries"]) writeFileSync(`/proc/sys/net/ipv4/${name}`, "127");
await (process.argv[2] === "clients" ? loseClients() : loseServer());

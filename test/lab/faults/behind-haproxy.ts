import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killInTurn } from "./kill-in-turn.ts";
import { folder, own, stablePort, untilExited } from "./processes.ts";
import { send } from "./request.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

export const haproxyObstacle = () =>
  spawnSync("haproxy", ["-v"]).error === undefined ? undefined : "this machine has no haproxy";

/** Two services behind HAProxy, as docs/cluster.md has them; one dies, and clients who know one address go on. */
export const behindHaproxy: Scenario = {
  name: "behind-haproxy",
  inShort: false,
  obstacle: haproxyObstacle,
  async run(trial) {
    const rounds = trial.short ? 1 : 10;
    await using stage = await openStage(trial);
    const otherPort = await stablePort();
    const other = await stage.startAnother(otherPort);
    const proxy = await startHaproxy([stage.port, otherPort]);
    // What was under way on the service that died is answered 502, and sent again under its key.
    const load = stage.load({ ports: [proxy.port], cutsAreFine: true, refusals: [502, 503] });
    // The rest is long enough for HAProxy to find a service again.
    const turns = { rounds, pauseMilliseconds: 200, restMilliseconds: 1_500 };
    const recoveries = await killInTurn(trial, stage, load, { port: otherPort, service: other }, turns);
    const outcome = await conclude(stage, load, { rounds, recoveries });
    await proxy.stop();
    return outcome;
  },
};

/** Runs the example of the documentation on other ports, and with more services if there are more. */
export async function startHaproxy(services: readonly number[]) {
  const port = await stablePort();
  const example = readFileSync("deploy/haproxy.cfg", "utf8");
  const file = join(folder, "haproxy.cfg");
  const ports = { 8080: port, 7070: services[0], 7072: services[1] };
  writeFileSync(
    file,
    example
      // Whoever runs the tests runs it.
      .replace(/^ +(user|group) haproxy$/gm, "")
      // These services have no operations listener.
      .replace(
        "option httpchk GET /readyz",
        "option httpchk\n    http-check send meth OPTIONS uri / ver HTTP/1.1 hdr Host localhost",
      )
      .replace(/ port \d+$/gm, "")
      .concat(
        services
          .slice(2)
          .map(more => `    server more${more} 127.0.0.1:${more}\n`)
          .join(""),
      )
      .replace(
        /127\.0\.0\.1:(8080|7070|7072)$/gm,
        (_, from: keyof typeof ports) => `127.0.0.1:${ports[from]}`,
      ),
  );
  const proxy = own(spawn("haproxy", ["-db", "-q", "-f", file], { stdio: "ignore" }));
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await send(port, "/", { method: "OPTIONS" }).catch(() => undefined);
    if (answer?.status === 200) break;
    await sleep(50);
  }
  return {
    port,
    async stop() {
      proxy.kill("SIGTERM");
      await untilExited(proxy);
    },
  };
}

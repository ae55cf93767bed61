import { test } from "node:test";
import { simulateEdge } from "../support/edge-simulation.ts";
import { isLong } from "../support/long-form.ts";

const runs = isLong ? 200 : 50;

test(`${runs} runs of clients: what is held is counted, bounded and given back, and newcomers are served`, () =>
  simulateEdge(runs, 1_000));

import { test } from "node:test";
import { simulateEdge } from "../support/edge-simulation.ts";

test("100,000 steps of clients: what is held is counted, bounded and given back, and newcomers are served", () =>
  simulateEdge(200, 1_000));

import assert from "node:assert/strict";
import { test } from "node:test";
import { metricsText } from "../../../../../src/adapters/ops/metrics/metrics.ts";
import { assertGolden } from "../../../../support/golden.ts";
import { readMetrics } from "../../../../support/prometheus.ts";
import { meterOf, readingOf } from "../../../../support/readings.ts";

test("each figure of a reading is in the metrics, in its unit and with its meaning", () => {
  const meter = meterOf([1, 2, 0, 0, 3]);
  meter.responded("POST", "/assets/{id}/logs", 503, 20_000);
  meter.responded("GET", undefined, 404, 1);
  meter.refused("login failed");
  meter.refused("role refused");
  meter.cut("client");
  const reading = readingOf(meter, 3_600, {
    droppedLogLines: 17,
    http: {
      connections: 42,
      requests: 3,
      bodyBytes: 65_536,
      responseBytes: 0,
      turnedAway: { requests: 11, bodies: 12, connections: 13, slowClients: 14 },
    },
    certificate: { validToSeconds: 1_800_000_000, isRenewalFailed: true },
    passwords: { working: 1, workingLimit: 2, waiting: 5, waitingLimit: 200 },
  });
  const checks = { service: "ok", database: "is not available", schema: "unknown" };
  assertGolden("test/unit/adapters/ops/metrics/metrics.txt", metricsText(reading, { ready: false, checks }));
});

const ready = { ready: true, checks: { service: "ok", database: "ok", schema: "ok" } };

test("what there is none of has no sample, and one condition of the trail is the present one", () => {
  const reading = readingOf(meterOf([]), 3_600, {
    trail: {
      size: 20,
      isSigned: false,
      checkpointSize: 0,
      checkpointAgeSeconds: undefined,
      condition: { kind: "contradicted", since: 0, why: "is shorter than what was signed" },
      pollAgeSeconds: 61,
      waitingRecords: 5,
      transactionWaitSeconds: 90,
    },
  });
  const samples = readMetrics(metricsText(reading, ready));
  const namesOf = (name: RegExp) => [...samples.keys()].filter(key => name.test(key));
  assert.deepEqual(namesOf(/certificate|checkpoint_age/), []);
  assert.deepEqual(
    namesOf(/trail_condition/).filter(key => samples.get(key) === 1),
    ['maintenance_log_trail_condition{condition="contradicted"}'],
  );
  assert.deepEqual(
    ["signed", "waiting_records", "poll_age_seconds"].map(name =>
      samples.get(`maintenance_log_trail_${name}`),
    ),
    [0, 5, 61],
  );
});

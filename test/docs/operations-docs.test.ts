import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { metricsText } from "../../src/adapters/ops/metrics/metrics.ts";
import { noPromtool, runPromtool } from "../support/prometheus.ts";
import { meterOf, readingOf } from "../support/readings.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const page = readFileSync("docs/monitoring.md", "utf8");
const [, scrapeConfig = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const alertRules = readFileSync("deploy/alerts.yml", "utf8");

/** What has to happen for each alert, and for none. */
const scenarios = `
rule_files: [alerts.yml]
evaluation_interval: 1m
tests:
  - interval: 15s
    input_series:
      - { series: 'up{job="maintenance-log", instance="well"}', values: '1+0x80' }
      - { series: 'maintenance_log_ready{job="maintenance-log", instance="well"}', values: '1+0x80' }
      - { series: 'http_requests_total{job="maintenance-log", instance="well", status="200"}', values: '0+100x80' }
      - { series: 'http_requests_total{job="maintenance-log", instance="well", status="503"}', values: '0+0.5x80' }
      - { series: 'maintenance_log_refusals_total{instance="well", reason="login_failed"}', values: '0+1x80' }
      - { series: 'maintenance_log_refusals_total{instance="well", reason="token_refused"}', values: '0+90x80' }
      - { series: 'up{job="maintenance-log", instance="gone"}', values: '0+0x80' }
      - { series: 'maintenance_log_ready{job="maintenance-log", instance="cut off"}', values: '0+0x80' }
      - { series: 'http_requests_total{job="maintenance-log", instance="failing", status="200"}', values: '0+95x80' }
      - { series: 'http_requests_total{job="maintenance-log", instance="failing", status="503"}', values: '0+5x80' }
      - { series: 'http_requests_total{job="maintenance-log", instance="cutting", status="200"}', values: '0+100x80' }
      - { series: 'http_responses_cut_total{job="maintenance-log", instance="cutting", by="service"}', values: '0+4x80' }
      - { series: 'http_responses_cut_total{job="maintenance-log", instance="well", by="client"}', values: '0+90x80' }
      - { series: 'maintenance_log_refusals_total{instance="guessed", reason="login_failed"}', values: '0+2x80' }
      - { series: 'maintenance_log_refusals_total{instance="guessed", reason="login_throttled"}', values: '0+8x80' }
      - { series: 'maintenance_log_trail_condition{instance="well", condition="contradicted"}', values: '0+0x80' }
      - { series: 'maintenance_log_trail_condition{instance="forged", condition="contradicted"}', values: '1+0x80' }
      - { series: 'maintenance_log_trail_poll_age_seconds{instance="well"}', values: '2+0x80' }
      - { series: 'maintenance_log_trail_waiting_records{instance="well"}', values: '0+0x80' }
      - { series: 'maintenance_log_trail_poll_age_seconds{instance="standing"}', values: '15+15x80' }
      - { series: 'maintenance_log_trail_waiting_records{instance="refused"}', values: '3+0x80' }
      - { series: 'node_systemd_unit_state{instance="host", name="maintenance-log-backup.service", state="failed"}', values: '1+0x80' }
      - { series: 'node_systemd_unit_state{instance="host", name="maintenance-log-verify.service", state="failed"}', values: '0+0x80' }
      - { series: 'node_systemd_unit_state{instance="host", name="other.service", state="failed"}', values: '1+0x80' }
      - { series: 'node_filesystem_avail_bytes{instance="host", mountpoint="/", fstype="ext4"}', values: '9+0x80' }
      - { series: 'node_filesystem_size_bytes{instance="host", mountpoint="/", fstype="ext4"}', values: '100+0x80' }
      - { series: 'node_filesystem_avail_bytes{instance="host", mountpoint="/var", fstype="ext4"}', values: '11+0x80' }
      - { series: 'node_filesystem_size_bytes{instance="host", mountpoint="/var", fstype="ext4"}', values: '100+0x80' }
      - { series: 'node_filesystem_avail_bytes{instance="host", mountpoint="/run", fstype="tmpfs"}', values: '0+0x80' }
      - { series: 'node_filesystem_size_bytes{instance="host", mountpoint="/run", fstype="tmpfs"}', values: '100+0x80' }
      - { series: 'maintenance_log_certificate_end_seconds{instance="well"}', values: '1300000+0x80' }
      - { series: 'maintenance_log_certificate_end_seconds{instance="forgotten"}', values: '1200000+0x80' }
      - { series: 'maintenance_log_certificate_renewal_failed{instance="well"}', values: '0+0x80' }
      - { series: 'maintenance_log_certificate_renewal_failed{instance="forgotten"}', values: '1+0x80' }
    alert_rule_test:
      - eval_time: 15m
        alertname: MaintenanceLogTrailStandsStill
        exp_alerts:
          - exp_labels: { instance: standing, severity: page }
            exp_annotations: { summary: 'the trail of standing stands still, so no log gets a proof: see its status page' }
          - exp_labels: { instance: refused, severity: page }
            exp_annotations: { summary: 'the trail of refused stands still, so no log gets a proof: see its status page' }
      - eval_time: 15m
        alertname: MaintenanceLogTrailBroken
        exp_alerts:
          - exp_labels: { condition: contradicted, instance: forged, severity: page }
            exp_annotations: { summary: 'the trail of forged contradicts what was signed before: see operations.md' }
      - eval_time: 15m
        alertname: MaintenanceLogUnitFailed
        exp_alerts:
          - exp_labels: { instance: host, name: maintenance-log-backup.service, state: failed, severity: page }
            exp_annotations: { summary: 'maintenance-log-backup.service failed at host: see its journal' }
      - eval_time: 15m
        alertname: MaintenanceLogDiskFills
        exp_alerts:
          - exp_labels: { fstype: ext4, instance: host, mountpoint: /, severity: page }
            exp_annotations: { summary: '/ of host is fuller than 90 %: see A full disk in operations.md' }
      - eval_time: 15m
        alertname: MaintenanceLogCertificateEnds
        exp_alerts:
          - exp_labels: { instance: forgotten, severity: ticket }
            exp_annotations: { summary: 'the certificate of forgotten ends in 13d 21h 5m 0s' }
      - eval_time: 15m
        alertname: MaintenanceLogCertificateNotRenewed
        exp_alerts:
          - exp_labels: { instance: forgotten, severity: page }
            exp_annotations: { summary: 'forgotten cannot use the new certificate, and would not start again: see its log' }
      - eval_time: 15m
        alertname: MaintenanceLogNotReady
        exp_alerts:
          - exp_labels: { job: maintenance-log, instance: gone, severity: page }
            exp_annotations: { summary: 'gone does not respond or is not ready: see /readyz there' }
          - exp_labels: { job: maintenance-log, instance: cut off, severity: page }
            exp_annotations: { summary: 'cut off does not respond or is not ready: see /readyz there' }
      - eval_time: 15m
        alertname: MaintenanceLogFailing
        exp_alerts:
          - exp_labels: { instance: failing, severity: page }
            exp_annotations: { summary: 'failing answers 5% of its requests with 5xx, or not to the end' }
          - exp_labels: { instance: cutting, severity: page }
            exp_annotations: { summary: 'cutting answers 4% of its requests with 5xx, or not to the end' }
      - eval_time: 15m
        alertname: MaintenanceLogPasswordGuessing
        exp_alerts:
          - exp_labels: { instance: guessed, severity: ticket }
            exp_annotations: { summary: '400 failed or throttled logins at guessed in ten minutes: see the log' }
  # A machine with timers that run, one whose backup has stopped, and one whose timers are new, and never run.
  - interval: 1h
    input_series:
      - { series: 'node_systemd_timer_last_trigger_seconds{instance="well:9100", name="maintenance-log-backup.timer"}', values: '1+3600x60' }
      - { series: 'node_systemd_timer_last_trigger_seconds{instance="stopped:9100", name="maintenance-log-backup.timer"}', values: '1+0x60' }
      - { series: 'node_systemd_timer_last_trigger_seconds{instance="stopped:9100", name="maintenance-log-verify.timer"}', values: '1+3600x60' }
      - { series: 'node_systemd_timer_last_trigger_seconds{instance="stopped:9100", name="maintenance-log-restore-test.timer"}', values: '1+0x60' }
      - { series: 'node_systemd_timer_last_trigger_seconds{instance="new:9100", name="maintenance-log-backup.timer"}', values: '_x5 0+0x60' }
    alert_rule_test:
      - eval_time: 48h
        alertname: MaintenanceLogTimerLate
        exp_alerts: []
      - eval_time: 49h
        alertname: MaintenanceLogTimerLate
        exp_alerts:
          - exp_labels: { instance: 'stopped:9100', name: maintenance-log-backup.timer, severity: ticket }
            exp_annotations: { summary: 'maintenance-log-backup.timer has not run for two days at stopped:9100' }
      - eval_time: 53h
        alertname: MaintenanceLogTimerLate
        exp_alerts:
          - exp_labels: { instance: 'stopped:9100', name: maintenance-log-backup.timer, severity: ticket }
            exp_annotations: { summary: 'maintenance-log-backup.timer has not run for two days at stopped:9100' }
          - exp_labels: { instance: 'new:9100', name: maintenance-log-backup.timer, severity: ticket }
            exp_annotations: { summary: 'maintenance-log-backup.timer has not run for two days at new:9100' }
  # Machines of the service: with both timers, two processes and new timers; with one timer; with none, or without the exporter.
  - interval: 15s
    input_series:
      - { series: 'up{job="maintenance-log", instance="well:7071"}', values: '1+0x80' }
      - { series: 'up{job="maintenance-log", instance="well:7073"}', values: '1+0x80' }
      - { series: 'up{job="maintenance-log", instance="half:7071"}', values: '1+0x80' }
      - { series: 'up{job="maintenance-log", instance="bare:7071"}', values: '1+0x80' }
      - { series: 'up{job="node", instance="other:9100"}', values: '1+0x80' }
      - { series: 'node_systemd_timer_last_trigger_seconds{instance="well:9100", name="maintenance-log-backup.timer"}', values: '0+0x80' }
      - { series: 'node_systemd_timer_last_trigger_seconds{instance="well:9100", name="maintenance-log-verify.timer"}', values: '0+0x80' }
      - { series: 'node_systemd_timer_last_trigger_seconds{instance="half:9100", name="maintenance-log-backup.timer"}', values: '0+0x80' }
    alert_rule_test:
      - eval_time: 14m
        alertname: MaintenanceLogTimerMissing
        exp_alerts: []
      - eval_time: 16m
        alertname: MaintenanceLogTimerMissing
        exp_alerts:
          - exp_labels: { host: half, severity: ticket }
            exp_annotations: { summary: 'half does not show both timers, of the backup and of the verification' }
          - exp_labels: { host: bare, severity: ticket }
            exp_annotations: { summary: 'bare does not show both timers, of the backup and of the verification' }
  # No machine has the exporter.
  - interval: 15s
    input_series:
      - { series: 'up{job="maintenance-log", instance="bare:7071"}', values: '1+0x80' }
    alert_rule_test:
      - eval_time: 16m
        alertname: MaintenanceLogTimerMissing
        exp_alerts:
          - exp_labels: { host: bare, severity: ticket }
            exp_annotations: { summary: 'bare does not show both timers, of the backup and of the verification' }
`;

describe("what docs/monitoring.md says", () => {
  const folder = makeTemporaryFolder();
  const file = (name: string) => join(folder, name);
  before(() => {
    writeFileSync(file("prometheus.yml"), scrapeConfig);
    writeFileSync(file("alerts.yml"), alertRules);
    writeFileSync(file("scenarios.yml"), scenarios);
  });

  test("names metrics that there are, as the alert rules do", () => {
    const ready = { ready: true, checks: { service: "ok", database: "ok", schema: "ok" } };
    const text = metricsText(readingOf(meterOf([1]), 1), ready);
    const existing = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    const named = (page + alertRules).matchAll(/\b(?:maintenance_log|http|nodejs|process)_\w+/g);
    const unknown = [...named].filter(([name]) => !existing.includes(name.replace(/_bucket$/, "")));
    assert.deepEqual(unknown.map(String), []);
  });

  test("has a scrape configuration and alert rules that Prometheus takes", t => {
    const config = runPromtool(["check", "config", file("prometheus.yml")]);
    if (config === undefined) return t.skip(noPromtool);
    assert.equal(config.status, 0, config.output);
  });

  test("has alerts that fire when they should, and only then", t => {
    const outcome = runPromtool(["test", "rules", file("scenarios.yml")]);
    if (outcome === undefined) return t.skip(noPromtool);
    assert.equal(outcome.status, 0, outcome.output);
  });
});

describe("deploy/maintenance-log-watch.service", () => {
  const [, figures = ""] =
    /^(ExecStart=\/bin\/sh -c "curl [\s\S]*?found \}'")$/m.exec(
      readFileSync("deploy/maintenance-log-watch.service", "utf8"),
    ) ?? [];
  // As systemd reads it.
  const [, command = ""] =
    /-c "([\s\S]*)"$/.exec(figures.replaceAll("\\\n", " ").replaceAll("$$", "$").replaceAll("%%", "%")) ?? [];
  const folder = makeTemporaryFolder();
  before(() => {
    writeFileSync(join(folder, "curl"), `#!/bin/sh\ncat ${join(folder, "metrics")}\n`, { mode: 0o755 });
  });
  const watch = (metrics: string) => {
    writeFileSync(join(folder, "metrics"), metrics);
    const env = { PATH: `${folder}:${process.env["PATH"]}` };
    const { status, stdout } = spawnSync("sh", ["-c", command], { env, encoding: "utf8" });
    return { status, stdout };
  };
  const well = readFileSync("test/unit/adapters/ops/metrics/metrics.txt", "utf8")
    .replace(/^(maintenance_log_trail_condition\{condition="whole"\}) .*$/m, "$1 1")
    .replace(/^(maintenance_log_certificate_renewal_failed) .*$/m, "$1 0");
  const endingIn = (days: number) =>
    well.replace(
      /^(maintenance_log_certificate_end_seconds) .*$/m,
      `$1 ${Math.floor(performance.timeOrigin / 1_000) + days * 86_400}`,
    );

  test("is silent while all is well, and without a certificate", () => {
    assert.deepEqual(watch(endingIn(15)), { status: 0, stdout: "" });
    const without = endingIn(15).replace(/^maintenance_log_certificate_.*$/gm, "");
    assert.deepEqual(watch(without), { status: 0, stdout: "" });
  });

  for (const [what, metrics, line] of [
    [
      "a certificate ends in less than 14 days",
      endingIn(13),
      /^maintenance_log_certificate_end_seconds \d+\n$/,
    ],
    ["a certificate has ended", endingIn(-1), /^maintenance_log_certificate_end_seconds \d+\n$/],
    [
      "a renewed certificate is refused",
      endingIn(15).replace("renewal_failed 0", "renewal_failed 1"),
      /^maintenance_log_certificate_renewal_failed 1\n$/,
    ],
    [
      "the trail is not whole",
      endingIn(15).replace('{condition="whole"} 1', '{condition="whole"} 0'),
      /^maintenance_log_trail_condition\{condition="whole"\} 0\n$/,
    ],
  ] as const) {
    test(`fails, and prints why, when ${what}`, () => {
      const { status, stdout } = watch(metrics);
      assert.equal(status, 1);
      assert.match(stdout, line);
    });
  }
});

test("the folders that exist before the first start are as closed as those that the units make", () => {
  const made = readFileSync("deploy/maintenance-log.tmpfiles", "utf8").matchAll(
    /^d (\S+) (\d+) (\S+) \S+$/gm,
  );
  const folders = [...made].map(([, path, mode, user]) => [path, mode, user]);
  const ofUnits = ["maintenance-log.service", "maintenance-log-backup.service"].map(name => {
    const unit = readFileSync(`deploy/${name}`, "utf8");
    const value = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1];
    return [`/var/lib/${value("StateDirectory")}`, value("StateDirectoryMode"), value("User")];
  });
  assert.deepEqual(folders, ofUnits);
});

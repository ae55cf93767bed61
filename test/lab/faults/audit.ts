import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import type { Load } from "./load.ts";
import { sendWrite } from "./load.ts";
import type { Place } from "./request.ts";
import { type Acknowledged, isFaithful, keyOf } from "./write.ts";

export interface Row {
  readonly id: number;
  readonly performedDate: string;
  readonly status: string;
  readonly taskType: string;
  readonly comment: string;
  readonly assetId: number;
}

export interface Findings {
  /** Acknowledged, and not there with the identifier and the content of the acknowledgement. */
  readonly lost: number;
  /** Rows beyond the first of a key. */
  readonly doubled: number;
  /** Rows that nobody sent. */
  readonly unknown: number;
}

/** Holds what the clients were told against what is stored. */
export function compare(
  rows: readonly Row[],
  { acknowledged, keys }: Pick<Load, "acknowledged" | "keys">,
): Findings {
  const stored = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row.comment);
    stored.set(key, [...(stored.get(key) ?? []), row]);
  }
  const isThere = (write: Acknowledged) =>
    (stored.get(write.key) ?? []).some(row => row.id === write.id && isFaithful(write, { ...row }));
  return {
    lost: [...acknowledged.values()].filter(write => !isThere(write)).length,
    doubled: [...stored.values()].reduce((sum, { length }) => sum + length - 1, 0),
    unknown: [...stored.keys()].filter(key => !keys.has(key)).length,
  };
}

/** Reads every log past the service. */
export async function readRows(url: string): Promise<Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const rows = await sql<Row[]>`
      select id::int, to_char(performed_date, 'YYYY-MM-DD"T"HH24:MI:SS') as "performedDate", status,
        task_type as "taskType", comment, asset_id::int as "assetId"
      from maintenance_log where comment not like 'inserted %'`;
    return [...rows];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** As a client does, asks again after a 503: the last fault may have left a connection that is found dead only when it is used. */
async function sendPatiently(...write: Parameters<typeof sendWrite>): ReturnType<typeof sendWrite> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await sendWrite(...write);
    if (answer.status !== 503 || attempt === 5) return answer;
    await sleep(200);
  }
}

/** Sends some acknowledged writes once more: each must be answered as the first time, another body refused. */
export async function replay(load: Load, port: Place, token: string, most = 200): Promise<string[]> {
  const faults: string[] = [];
  const all = [...load.acknowledged.values()];
  const step = Math.max(1, Math.floor(all.length / most));
  for (const write of all.filter((_, i) => i % step === 0)) {
    const { status, headers, json } = await sendPatiently(port, write, token);
    const log = (json ?? {}) as Record<string, unknown>;
    if (status !== 201 || log["id"] !== write.id || !isFaithful(write, log)) {
      faults.push(`a replay of log ${write.id} was answered ${status}, log ${log["id"]}`);
    } else if (headers["idempotent-replayed"] !== "true") {
      faults.push("a replay came without Idempotent-Replayed: true");
    }
  }
  const [first] = all;
  if (first === undefined) return ["nothing was acknowledged"];
  const other = { ...first, content: { ...first.content, comment: `${first.key} other` } };
  const { status } = await sendPatiently(port, other, token);
  if (status !== 422) faults.push(`the key of a log with another body was answered ${status}`);
  return [...new Set(faults)].slice(0, 5);
}

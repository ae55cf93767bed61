import { randomText } from "../run/data-folder.ts";
import { adminEmail, loginsOf } from "../run/logins.ts";
import { demoAssets } from "./assets.ts";
import { planLogs } from "./plan.ts";
import { type DemoRole, demoEmployees, readDemoState, writeDemoState } from "./state.ts";

const seed = 7070;
const logCount = 500;
/** As many logs are sent at once as one connection each makes sense for. */
const lanes = 4;

/**
 * Writes the demo records through the API: an employee for each role but ADMIN, ten assets, some 500 logs of the year
 * before. What is there already is left: employees by their email, assets by their name, logs by their Idempotency-Key.
 *
 * @param base address of a service, `http://127.0.0.1:7070`
 * @param folder the data folder, which has the ADMIN's password and keeps the others'
 */
export async function writeDemo(base: string, folder: string): Promise<void> {
  const state = readDemoState(folder) ?? {
    until: new Date().toISOString().slice(0, 10),
    passwords: { MANAGER: randomText(9), TECHNICIAN: randomText(9) },
    isWritten: false,
  };
  if (state.isWritten) return;
  const admin = loginsOf(folder).find(({ email }) => email === adminEmail);
  if (admin === undefined)
    throw new Error(
      "the demo records need an ADMIN, and the password of this database's own is not known here: use an empty database",
    );
  console.log(`Writing the demo records: ${demoAssets.length} assets and ${logCount} logs.`);
  writeDemoState(folder, state);

  const call = makeCall(base);
  const adminToken = await login(call, admin.email, admin.password);
  const tokens = await employ(call, adminToken, state.passwords);
  const assetIds = await createAssets(call, tokens.MANAGER);
  const logs = planLogs(demoAssets, { seed, count: logCount, until: state.until });
  await inLanes(logs.entries(), async ([index, { asset, performer, ...body }]) => {
    await call("POST", `/assets/${assetIds[asset]}/logs`, tokens[performer], body, {
      "Idempotency-Key": `demo-${index}`,
    });
  });
  for (const [index, { isRetired }] of demoAssets.entries()) {
    if (isRetired) await call("DELETE", `/assets/${assetIds[index]}`, adminToken);
  }
  writeDemoState(folder, { ...state, isWritten: true });
}

type Call = (
  method: string,
  path: string,
  token?: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
  // biome-ignore lint/suspicious/noExplicitAny: what an endpoint answers is in the specification
) => Promise<any>;

/** Throws with what the service says when it says no. */
export function makeCall(base: string): Call {
  return async (method, path, token, body, headers) => {
    const answer = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        ...headers,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} got status ${answer.status}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
}

export const login = async (call: Call, email: string, password: string): Promise<string> =>
  (await call("POST", "/auth/login", undefined, { email, password })).token;

async function employ(call: Call, adminToken: string, passwords: Readonly<Record<DemoRole, string>>) {
  const employees: readonly { email: string }[] = await call("GET", "/employees", adminToken);
  const tokens: Partial<Record<DemoRole, string>> = {};
  for (const employee of demoEmployees) {
    const password = passwords[employee.role];
    if (!employees.some(({ email }) => email === employee.email))
      await call("POST", "/auth/register", adminToken, { ...employee, password });
    tokens[employee.role] = await login(call, employee.email, password);
  }
  return tokens as Record<DemoRole, string>;
}

/** The ids of the demo assets, in their order. */
async function createAssets(call: Call, token: string): Promise<readonly number[]> {
  const existing: readonly { id: number; name: string }[] = await call("GET", "/assets", token);
  const ids: number[] = [];
  for (const { name, description } of demoAssets) {
    const known = existing.find(asset => asset.name === name);
    ids.push((known ?? (await call("POST", "/assets", token, { name, description }))).id);
  }
  return ids;
}

/** Runs the work of all items, `lanes` at a time. */
async function inLanes<T>(items: Iterator<T>, work: (item: T) => Promise<void>): Promise<void> {
  const shared = { [Symbol.iterator]: () => items };
  const lane = async () => {
    for (const item of shared) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

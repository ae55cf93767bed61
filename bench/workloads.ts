import { requestText } from "./load.ts";
import { assets, emailOf, employees, logsOfSmallAsset, password, smallAssets } from "./seed.ts";

export interface Workload {
  readonly name: string;
  readonly connections: number;
  readonly status: number;
  /** Requests to be sent in turn. */
  readonly requests: (token: string) => readonly string[];
  /** One of these, for fetch. */
  readonly sample: (token: string) => readonly [path: string, init: RequestInit];
}

const api = "/api/v1";
const log = {
  performedDate: "2026-02-28T10:20:30",
  status: "COMPLETED",
  taskType: "MAINTENANCE",
  comment: "Pressure, belts and sensors checked; all within limits, next inspection due in 30 days.",
} as const;

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
/** Numbers in an order without one, the same in every run. */
const scattered = (count: number, upTo: number) => range(1, count).map(i => 1 + ((i * 7_919) % upTo));

const authorized = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

const posted = (body: unknown, token?: string): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: {
    "content-type": "application/json",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  },
});

const get = (path: string) => ({
  status: 200,
  sample: (token: string) => [path, authorized(token)] as const,
});

export const pointRead = (logs: number): Workload => ({
  ...get(`${api}/logs/4711`),
  name: "one log",
  connections: 32,
  requests: token => scattered(10_000, logs).map(id => requestText({ path: `${api}/logs/${id}`, token })),
});

const login: Workload = {
  name: "login",
  connections: 4,
  status: 200,
  requests: () =>
    range(1, employees).map(id =>
      requestText({ method: "POST", path: `${api}/auth/login`, body: { email: emailOf(id), password } }),
    ),
  sample: () => [`${api}/auth/login`, posted({ email: emailOf(1), password })],
};

/** The create comes last, since it alone changes the data. */
export const workloads = (logs: number): readonly Workload[] => [
  pointRead(logs),
  {
    ...get(`${api}/assets`),
    name: `${assets} assets`,
    connections: 32,
    requests: token => [requestText({ path: `${api}/assets`, token })],
  },
  {
    ...get(`${api}/assets/17/logs`),
    name: `${logsOfSmallAsset} logs of an asset`,
    connections: 32,
    requests: token =>
      range(1, smallAssets).map(id => requestText({ path: `${api}/assets/${id}/logs`, token })),
  },
  login,
  {
    ...get(`${api}/logs`),
    name: `all ${logs.toLocaleString("en")} logs`,
    connections: 1,
    requests: token => [requestText({ path: `${api}/logs`, token })],
  },
  {
    name: "create a log",
    connections: 32,
    status: 201,
    requests: token =>
      range(smallAssets + 1, assets).map(id =>
        requestText({ method: "POST", path: `${api}/assets/${id}/logs`, token, body: log }),
      ),
    sample: token => [`${api}/assets/${assets}/logs`, posted(log, token)],
  },
];

import assert from "node:assert/strict";
import { api, type World } from "./world.ts";

/** Lines of requests that are written by hand. */
export const login = `${api}/auth/login`;
export const host = "Host: x\r\n";
export const ends = `${host}Connection: close\r\n`;
export const bearerOf = ({ tokens }: Pick<World, "tokens">) => `Authorization: Bearer ${tokens.ADMIN}\r\n`;

/** Answered over another connection, these show that the server has read what was sent before. */
export async function settle({ call }: Pick<World, "call">): Promise<void> {
  for (let i = 0; i < 3; i += 1) await call("OPTIONS", "/");
}

/** Takes answers that all have a Content-Length apart. */
export function answersIn(text: string) {
  const answers: { status: number; head: string; body: string }[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n") + 4;
    const head = rest.slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    answers.push({ status: Number(head.split(" ")[1]), head, body: rest.slice(end, end + length) });
    rest = rest.slice(end + length);
  }
  return answers;
}

export const statusesIn = (text: string): number[] => answersIn(text).map(({ status }) => status);

export function assertRefusal(text: string, status: number, msg?: string): void {
  const [answer] = answersIn(text);
  assert.equal(answer?.status, status, text);
  const body = JSON.parse(answer.body);
  assert.deepEqual(Object.keys(body), ["status", "msg"]);
  assert.equal(body.status, status);
  if (msg !== undefined) assert.equal(body.msg, msg);
  assert.match(answer.head, /content-type: application\/json; charset=utf-8\r\n/i);
  assert.match(answer.head, /x-content-type-options: nosniff\r\n/i);
  assert.match(answer.head, /cache-control: no-store\r\n/i);
  assert.match(answer.head, /x-request-id: [\w-]+\r\n/i);
  assert.match(answer.head, /date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/i);
  assert.match(answer.head, /access-control-allow-origin: \*\r\n/i);
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { components, operations } from "../../docs/api.d.ts";
import { shared } from "../support/left-open.ts";
import { aLog } from "../support/test-records.ts";
import { openWorld, password } from "../support/world.ts";

type Operation = keyof operations;
type Json<Part> = Part extends { content: { "application/json": infer Value } } ? Value : never;
type BodyOf<Name extends Operation> = operations[Name] extends { requestBody: infer Body }
  ? Json<Body>
  : undefined;
type AnswerOf<Name extends Operation> = Json<
  operations[Name]["responses"][keyof operations[Name]["responses"] & (200 | 201)]
>;
type QueryOf<Name extends Operation> = operations[Name] extends { parameters: { query?: infer Query } }
  ? Query
  : undefined;

type MaintenanceLog = components["schemas"]["MaintenanceLog"];

/**
 * A client of the generated types, as its author would begin it. What is said here of types is checked with the rest
 * of the code: a line that expects an error is one itself when there is none.
 */
describe("a client with the generated types", async () => {
  const world = await shared(openWorld());

  async function send<Name extends Operation>(
    _operation: Name,
    [method, path]: readonly [string, string],
    sent: { token?: string; body?: BodyOf<Name>; query?: QueryOf<Name> } = {},
  ): Promise<AnswerOf<Name>> {
    const query = new URLSearchParams(
      Object.entries(sent.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const { status, json } = await world.call(method, `${path}?${query}`, {
      token: sent.token,
      body: sent.body,
    });
    assert.ok(status < 300, json.msg);
    return json;
  }

  test("logs in, writes a log and finds it again", async () => {
    const { token, authUser } = await send("logIn", ["POST", "/api/v1/auth/login"], {
      body: { email: world.employees.ADMIN.email, password },
    });
    const role: "TECHNICIAN" | "MANAGER" | "ADMIN" = authUser.role;
    assert.equal(role, "ADMIN");

    const asset = await send("createAsset", ["POST", "/api/v1/assets"], { token, body: { name: "Pump 7" } });
    const lastLogDate: string | null = asset.lastLogDate;
    assert.equal(lastLogDate, null);

    const written: MaintenanceLog = await send("writeLog", ["POST", `/api/v1/assets/${asset.id}/logs`], {
      token,
      body: aLog(),
    });
    const found = await send("listAssetLogs", ["GET", `/api/v1/assets/${asset.id}/logs`], {
      token,
      query: { status: "PENDING", performedFrom: "2026-02-28T00:00", limit: 1 },
    });
    assert.deepEqual(found, [written]);
  });

  test("does not compile with what the API does not take or give", () => {
    const log: BodyOf<"writeLog"> = {
      performedDate: "2026-11-21T09:30",
      // @ts-expect-error no such status
      status: "DONE",
      taskType: "ERROR",
      comment: "",
    };
    // @ts-expect-error a log needs all of its fields
    const partial: BodyOf<"writeLog"> = { comment: "" };
    // @ts-expect-error no such parameter of this list
    const query: QueryOf<"listAssets"> = { before: "x" };
    // @ts-expect-error the password is never answered
    type Password = AnswerOf<"getEmployee">["password"];
    const nobody: Password | undefined = undefined;
    assert.ok(log && partial && query && nobody === undefined);
  });
});

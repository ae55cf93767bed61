import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeRoutes, type UseCases } from "../../src/adapters/http/api/routes.ts";
import { mayAct, type RequiredRole, roles } from "../../src/domain/role.ts";
import { shared } from "../support/left-open.ts";
import { openWorld } from "../support/world.ts";

/** The access matrix of the specification, section 5, and of the decisions, written out by hand. */
const specified = `
  GET    /                                 AUTHENTICATED
  GET    /routes                           AUTHENTICATED
  GET    /openapi.json                     AUTHENTICATED
  POST   /api/v1/auth/login                NONE
  POST   /api/v1/auth/register             MANAGER
  GET    /api/v1/employees                 AUTHENTICATED
  GET    /api/v1/employees/me              AUTHENTICATED
  GET    /api/v1/employees/{id}            AUTHENTICATED
  PUT    /api/v1/employees/{id}            MANAGER
  DELETE /api/v1/employees/{id}            ADMIN
  PATCH  /api/v1/employees/{id}            ADMIN
  PATCH  /api/v1/employees/{id}/password   AUTHENTICATED
  GET    /api/v1/assets                    AUTHENTICATED
  GET    /api/v1/assets/{id}               AUTHENTICATED
  POST   /api/v1/assets                    MANAGER
  PATCH  /api/v1/assets/{id}               MANAGER
  DELETE /api/v1/assets/{id}               ADMIN
  GET    /api/v1/assets/{id}/logs          AUTHENTICATED
  POST   /api/v1/assets/{id}/logs          TECHNICIAN
  GET    /api/v1/logs                      AUTHENTICATED
  GET    /api/v1/logs/active-assets        AUTHENTICATED
  GET    /api/v1/logs/{id}                 AUTHENTICATED
  GET    /api/v1/logs/employee/{id}        MANAGER
  GET    /api/v1/logs/{id}/proof           AUTHENTICATED
  GET    /api/v1/trail                     AUTHENTICATED
  GET    /api/v1/trail/checkpoint          AUTHENTICATED
  GET    /api/v1/trail/tile/{path}         AUTHENTICATED
  GET    /api/v1/trail/entries             AUTHENTICATED`
  .trim()
  .split("\n")
  .map(line => line.trim().split(/\s+/));

const refusal = (msg: string) => ({ status: 403, msg });

describe("access", async () => {
  const world = await shared(openWorld());

  test("the route table is the specified matrix", () => {
    const declared = makeRoutes({} as UseCases).map(({ method, path, role }) => [method, path, role]);
    assert.deepEqual(
      declared.sort(),
      [...specified].sort(),
      "write each new route into the matrix above, with the role that it was meant to have",
    );
  });

  for (const [method = "", path = "", role = ""] of specified) {
    describe(`${method} ${path} (${role})`, () => {
      // An id that nothing has: whoever is let through comes to 400 or 404, and changes nothing.
      const target = path.replace("{id}", "999999").replace("{path}", "0/999");
      const attempt = async (token?: string) => {
        const { status, json, headers } = await world.call(method, target, { token });
        return { status, msg: json?.msg, challenge: headers.get("www-authenticate") };
      };

      if (role === "NONE") {
        test("is open", async () => {
          for (const token of [undefined, "broken", ...Object.values(world.tokens)]) {
            assert.equal((await attempt(token)).status, 400);
          }
        });
        return;
      }

      test("is closed without a token and with a broken one", async () => {
        assert.deepEqual(await attempt(), {
          ...refusal("Token is missing"),
          challenge: 'Bearer realm="maintenance-log"',
        });
        const invalid = 'Bearer realm="maintenance-log", error="invalid_token"';
        assert.deepEqual(await attempt("broken"), { ...refusal("Token is not valid"), challenge: invalid });
      });

      for (const holder of roles) {
        const mayPass = mayAct(holder, role as RequiredRole);
        const ownIdOnly = path.endsWith("/password");
        test(`${mayPass && !ownIdOnly ? "lets" : "does not let"} ${holder} through`, async () => {
          const { status, msg, challenge } = await attempt(world.tokens[holder]);
          if (mayPass && !ownIdOnly) {
            assert.ok([200, 201, 204, 400, 404].includes(status), `${status} ${msg}`);
            assert.equal(challenge, null);
          } else {
            const insufficient = 'Bearer realm="maintenance-log", error="insufficient_scope"';
            assert.deepEqual(
              { status, msg, challenge },
              { ...refusal("Unauthorized"), challenge: insufficient },
            );
          }
        });
      }
    });
  }
});

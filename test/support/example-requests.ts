import { describeApi } from "../../dev/api-docs/describe.ts";
import { callerOf } from "./by-admin.ts";
import { aLog, anAsset } from "./test-records.ts";
import { openWorld, type World } from "./world.ts";

/** A request as a tool makes it that has read the OpenAPI document: with the examples of it. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | undefined;
  /** The status of success. */
  readonly success: number;
}

/** A service with the records that the examples are of, as `make demo` has them, and a first bundle of entries. */
export async function openExampleWorld(): Promise<World> {
  const world = await openWorld();
  const performer = callerOf(world.employees.TECHNICIAN);
  for (let n = 1; n <= 7; n += 1) await world.ports.assets.insert(anAsset({ name: `Pump ${n}` }));
  for (let n = 1; n <= 256; n += 1) await world.ports.maintenanceLogs.append(7, performer, aLog());
  await world.cover();
  return world;
}

/** For each operation the request with the required parameters alone, with each of the others, and with all of them. */
export async function exampleRequests(): Promise<readonly ExampleRequest[]> {
  return Object.entries((await describeApi()).paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, parameters, requestBody, responses }]) => {
      const required = parameters.filter(parameter => parameter.required);
      const others = parameters.filter(parameter => !parameter.required);
      const sets = [[], ...others.map(one => [one]), ...(others.length > 1 ? [others] : [])];
      return sets.map(chosen => {
        const sent = [...required, ...chosen];
        const of = (place: string) =>
          sent
            .filter(parameter => parameter.in === place)
            .map(({ name, example }): [string, string] => [name, String(example)]);
        const target = of("path").reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);
        const query = new URLSearchParams(of("query")).toString();
        return {
          operationId,
          method: method.toUpperCase(),
          path: query === "" ? target : `${target}?${query}`,
          headers: Object.fromEntries(of("header")),
          body: requestBody?.content["application/json"].example as object | undefined,
          success: Number(Object.keys(responses).find(status => status.startsWith("2"))),
        };
      });
    }),
  );
}

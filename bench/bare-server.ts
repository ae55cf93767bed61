import { createServer } from "node:http";

/** What a bare node:http server answers to every request: what the service answered, byte by byte. */
export interface Fixed {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

// The ceiling of HTTP in Node: no routing, no token, no database.
let fixed: Fixed = { status: 200, headers: [], body: "" };

const server = createServer((request, response) => {
  const answer = () => {
    response.writeHead(fixed.status, fixed.headers as string[]);
    response.end(fixed.body);
  };
  if (request.method === "GET") answer();
  else request.resume().on("end", answer);
});
server.keepAliveTimeout = 65_000;

process.on("message", (next: Fixed) => {
  fixed = next;
  process.send?.("fixed");
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));

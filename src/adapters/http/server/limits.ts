/** The bounds on time, size and number at the HTTP edge, except those of one body (route.ts) and of headers (preconditions.ts). */
export const httpLimits = {
  headerBytes: 16 * 1024,
  /** How long a request may take to arrive, and how long a client may go on sending what becomes no request. */
  receiveMilliseconds: 10_000,
  /** How long a connection may stay silent after an answer. */
  keepAliveMilliseconds: 65_000,
  /** How long a client may take nothing of its answer. */
  takeMilliseconds: 60_000,
  /** How long a connection is held open after its last word, so that the client comes to read it. */
  lingerMilliseconds: 1_000,
  /** How long a draining server still takes requests on the connections it has: some may be on their way already. */
  farewellMilliseconds: 250,
  sweepMilliseconds: 1_000,
  connections: 10_000,
  /** With TLS, where one takes about 100 KiB: more would exceed the memory that the systemd unit allows. */
  tlsConnections: 2_000,
  /** Connections past the bound that are told so at one time; further ones are closed without an answer. */
  refusedConnections: 1_000,
  /** Connections that wait in the kernel until the process takes them. */
  waitingConnections: 4_096,
  /** Requests under way at one time, of all connections. */
  requests: 1_000,
  /** Of one body, where one that arrives in two reads counts twice: enough for 64 KiB in pieces of 512 bytes. */
  chunks: 256,
  /** Of all bodies of requests under way. */
  bodyBytes: 16 * 1024 * 1024,
  /** Of these, of requests without a token, so that requests with a token are served during an attack without one. */
  bodyBytesWithoutToken: 1024 * 1024,
};

export type HttpLimits = Readonly<typeof httpLimits>;

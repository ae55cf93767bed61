/** The bounds of a server on time, size and number. Those of one body are in route.ts, and those of header fields in request-head.ts. */
export const httpLimits = {
  headerBytes: 8 * 1024,
  /** How long a request may take to arrive. */
  receiveMilliseconds: 10_000,
  /** How long a connection may stay silent after a response. */
  keepAliveMilliseconds: 65_000,
  /** How long a connection may stay silent before the end of a response: nothing is sent, and nothing taken of what was written. */
  stallMilliseconds: 60_000,
  /** How long a connection is held open after its last response, so that the client reads it, and how long the client may pause while the rest of its request is thrown away. */
  lingerMilliseconds: 1_000,
  /** How long a draining server still takes requests on the connections it has: some may be on their way already. */
  drainMilliseconds: 250,
  /** Between two passes of Node for requests that take too long, and between two events about clients that were turned away. */
  sweepMilliseconds: 1_000,
  /** Further ones are closed without a response. */
  connections: 10_000,
  /** With TLS, where one takes about 100 KiB: more would exceed the memory that the systemd unit allows. */
  tlsConnections: 2_000,
  /** Connections that wait in the kernel until the process takes them. */
  waitingConnections: 4_096,
  /** Requests that are checked or worked on at one time, of all connections. */
  requests: 1_000,
  /** The bytes of all responses that clients have not taken. With TLS they take about three times as much of the process. */
  responseBytes: 64 * 1024 * 1024,
  /** What a list of more than one chunk counts as: a page of it and the chunk that is being sent. */
  longListBytes: 512 * 1024,
  /** A client that has taken something within this time is not cut off for a list: the list is refused. */
  slowReaderMilliseconds: 1_000,
  /** The bytes of the bodies of all requests with a token. */
  bodyBytes: 12 * 1024 * 1024,
  /** Of all requests without one: the others are served during an attack without a token. */
  bodyBytesWithoutToken: 4 * 1024 * 1024,
};

export type HttpLimits = Readonly<typeof httpLimits>;

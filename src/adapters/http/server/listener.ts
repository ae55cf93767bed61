import { constants } from "node:crypto";
import type { Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { createServer } from "../../protocol/node-http.ts";
import type { HttpLimits } from "../request/limits.ts";
import type { TlsIdentity } from "./tls-identity.ts";

/** Forward secrecy and authenticated encryption only (RFC 9325, section 4.2). */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** A year (RFC 6797): a browser that has seen it does not come back over plain HTTP. */
export const strictTransport = { "Strict-Transport-Security": "max-age=31536000" };

/** Node's server with our bounds, over TLS when it has an identity. */
export function makeListener(limits: HttpLimits, identity: TlsIdentity | undefined): Server | TlsServer {
  const bounds = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.receiveMilliseconds,
    requestTimeout: limits.receiveMilliseconds,
    keepAliveTimeout: limits.keepAliveMilliseconds,
    connectionsCheckingInterval: limits.sweepMilliseconds,
    // `readHead` checks the Host header, since Node would refuse without a body.
    requireHostHeader: false,
  };
  const server =
    identity === undefined
      ? createServer(bounds)
      : createTlsServer({ ...bounds, ...identity, ...policy, handshakeTimeout: limits.receiveMilliseconds });
  server.maxConnections = identity === undefined ? limits.connections : limits.tlsConnections;
  server.timeout = limits.stallMilliseconds;
  return server;
}

const policy = {
  minVersion: "TLSv1.2",
  ciphers,
  honorCipherOrder: true,
  ALPNProtocols: ["http/1.1"],
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** New connections get the new certificate; those that are open go on with theirs. */
export function renewIdentity(server: Server | TlsServer, identity: TlsIdentity): void {
  if ("setSecureContext" in server) server.setSecureContext({ ...identity, ...policy });
}

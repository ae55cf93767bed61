import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, test } from "node:test";
import {
  makeClientAddress,
  readTrustedProxy,
} from "../../../../../src/adapters/http/request/client-address.ts";

const request = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage;

describe("where a request comes from", () => {
  const direct = makeClientAddress([], () => {});
  const proxied = makeClientAddress(["10.0.0.0/8", "192.0.2.7", "2001:db8:ffff::/48"], () => {});
  const linked = makeClientAddress(["fe80::1"], () => {});

  // Beside the property (test/unit/properties.test.ts), which has the usual forms and any number of proxies.
  for (const [what, addressOf, peer, forwarded, expected] of [
    ["the peer", direct, "198.51.100.1", undefined, "198.51.100.1"],
    ["not what a client claims, without trusted proxies", direct, "10.0.0.1", "1.2.3.4", "10.0.0.1"],
    ["not what a client claims past a trusted proxy", proxied, "10.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4"],
    ["not what an unknown peer claims", proxied, "198.51.100.1", "1.2.3.4", "198.51.100.1"],
    ["behind an IPv6 proxy", proxied, "2001:db8:ffff::1", "1.2.3.4", "1.2.3.4"],
    ["behind a proxy on any link, without its zone", linked, "fe80::1%eth0", "1.2.3.4", "1.2.3.4"],
    ["unknown, when a proxy says nonsense", proxied, "10.0.0.1", "1.2.3.4, tea", "unknown"],
    ["IPv4 in brackets as IPv6", proxied, "10.0.0.1", "[::ffff:1.2.3.4]:80", "1.2.3.4"],
    [
      "IPv6 without brackets, though it ends like a port",
      proxied,
      "10.0.0.1",
      "2001:db8::80",
      "2001:db8:0:0::/64",
    ],
    ["IPv4 in IPv6 in hexadecimal", proxied, "10.0.0.1", "::ffff:cb00:7107", "203.0.113.7"],
    ["IPv4 in IPv6 without a gap", proxied, "10.0.0.1", "0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    ["IPv4 in IPv6 with zeros", proxied, "10.0.0.1", "[0000::0:FFFF:cb00:7107]:80", "203.0.113.7"],
    ["a proxy that is written as IPv6", proxied, "10.0.0.1", "1.2.3.4, ::ffff:a00:2", "1.2.3.4"],
    ["before empty members", proxied, "10.0.0.1", "203.0.113.51, ,,", "203.0.113.51"],
    ["the proxy, when all members are empty", proxied, "10.0.0.1", " , ", "10.0.0.1"],
    ["not in a quotation that the client has opened", proxied, "10.0.0.1", '"6.6.6.6, 1.2.3.4', "1.2.3.4"],
    ["without quoted pairs", proxied, "10.0.0.1", '"1.2\\.3.4"', "1.2.3.4"],
    ["unknown, for a port that is none", proxied, "10.0.0.1", "1.2.3.4:tea", "unknown"],
    ["unknown, for a bracket that stays open", proxied, "10.0.0.1", "[2001:db8::1", "unknown"],
    ["unknown, for a quotation mark that stays open", proxied, "10.0.0.1", '"1.2.3.4', "unknown"],
    ["unknown, for an obfuscated identifier", proxied, "10.0.0.1", "_hidden", "unknown"],
    ["IPv4 on a socket that speaks both", direct, "::ffff:198.51.100.1", undefined, "198.51.100.1"],
    [
      "the network of 64 bits of an IPv6 client",
      direct,
      "2001:db8:1:2:3:4:5:6",
      undefined,
      "2001:db8:1:2::/64",
    ],
    ["the same for its short form", direct, "2001:db8:0001:2::6", undefined, "2001:db8:1:2::/64"],
    ["zeros that are left out", direct, "2001:db8::6", undefined, "2001:db8:0:0::/64"],
    ["the loopback of IPv6", direct, "::1", undefined, "0:0:0:0::/64"],
    ["a link-local address with its zone", direct, "fe80::1%eth0", undefined, "fe80:0:0:0::/64"],
    ["unknown, when the peer has gone", direct, undefined, undefined, "unknown"],
  ] as const) {
    test(`is ${what}`, () => assert.equal(addressOf(request(peer, forwarded)), expected));
  }
});

describe("X-Forwarded-For that is ignored", () => {
  const warningsOf = (trusted: readonly string[], forwarded: readonly (string | undefined)[]) => {
    let warnings = 0;
    const addressOf = makeClientAddress(trusted, () => {
      warnings += 1;
    });
    for (const value of forwarded) addressOf(request("10.0.0.1", value));
    return warnings;
  };

  test("is told once", () => assert.equal(warningsOf([], [undefined, "1.2.3.4", "1.2.3.4"]), 1));
  test("is not told when nobody sends it", () => assert.equal(warningsOf([], [undefined]), 0));
  test("is not told when a proxy is trusted", () => assert.equal(warningsOf(["10.0.0.2"], ["1.2.3.4"]), 0));
});

test("a trusted proxy is an address or a network", () => {
  for (const text of ["10.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "::1", "2001:db8::/32", "2001:db8::/128"])
    assert.equal(readTrustedProxy(text), text);
  for (const text of [
    "",
    "proxy",
    "10.0.0.1/33",
    "10.0.0.1/",
    "10.0.0.1/8/8",
    "10.0.0/8",
    "::1/129",
    "1.2.3.4/-1",
  ])
    assert.throws(() => readTrustedProxy(text), /is not a list of addresses or networks/, text);
});

import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4, SocketAddress } from "node:net";
import { readHost, unquoted } from "../../protocol/field-value.ts";

/** Addresses, or networks as `10.0.0.0/8`, of the proxies whose X-Forwarded-For is trusted. */
export type TrustedProxies = readonly string[];

/** Throws with the reason when the text is neither an address nor a network. */
export function readTrustedProxy(text: string): string {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = isIP(address) === 6 ? 128 : 32;
  const isNetwork = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (isIP(address) === 0 || !isNetwork || rest.length > 0)
    throw new Error("is not a list of addresses or networks");
  // BlockList does not compare zones: the address would be trusted on every link.
  if (address.includes("%")) throw new Error("has an IPv6 zone: write the address without it");
  return text;
}

/**
 * Where a request comes from: the peer, or behind trusted proxies the last address in X-Forwarded-For that is not one
 * of them. An IPv6 client is known by its network of 64 bits, of which it can use every address.
 *
 * @param onIgnored called once, when X-Forwarded-For is sent though no proxy is trusted
 */
export function makeClientAddress(trusted: TrustedProxies, onIgnored: () => void) {
  let isIgnored = false;
  const proxies = new BlockList();
  for (const proxy of trusted) {
    const [address = "", prefix] = proxy.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  const isProxy = (address: string): boolean =>
    isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  return ({ socket, headers }: IncomingMessage): string => {
    let address = canonical(socket.remoteAddress ?? "");
    const forwarded = headers["x-forwarded-for"];
    if (forwarded !== undefined && trusted.length === 0 && !isIgnored) {
      isIgnored = true;
      onIgnored();
    }
    if (trusted.length > 0 && typeof forwarded === "string") {
      for (const hop of hopsFromLast(forwarded)) {
        if (!isProxy(address)) break;
        address = addressOfHop(hop);
      }
    }
    return networkOf(address);
  };
}

/** The members of X-Forwarded-For that are not empty. A client can send thousands before those that proxies add at the end. */
function* hopsFromLast(text: string): Generator<string, void> {
  for (let end = text.length; end > 0; ) {
    const comma = text.lastIndexOf(",", end - 1);
    const member = text.slice(comma + 1, end).trim();
    if (member !== "") yield member;
    end = comma;
  }
}

/**
 * A member of X-Forwarded-For as proxies write it: an address, perhaps in brackets, with a port, or quoted as in
 * Forwarded (RFC 7239, section 6).
 */
function addressOfHop(hop: string): string {
  const text = unquoted(hop);
  return canonical(isIP(text) === 0 ? (readHost(text) ?? "") : text);
}

const mapped = "::ffff:";

/** The one form of an address, without a zone; that of an IPv4 address in IPv6 is IPv4 (RFC 4291, section 2.5.5.2). */
function canonical(text: string): string {
  if (isIP(text) !== 6) return text;
  const [address = ""] = text.split("%", 1);
  const ipv6 = new SocketAddress({ address, family: "ipv6" }).address;
  const ipv4 = ipv6.slice(mapped.length);
  return ipv6.startsWith(mapped) && isIPv4(ipv4) ? ipv4 : ipv6;
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : "unknown";
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter(Boolean).length;
  return `${[...groups, ...Array<string>(missing).fill("0"), ...(tail ?? "").split(":")].slice(0, 4).join(":")}::/64`;
}

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

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
export function makeClientAddress(
  trusted: TrustedProxies,
  onIgnored: () => void = () => {},
): (request: IncomingMessage) => string {
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

  return ({ socket, headers }) => {
    let address = withoutMapping(socket.remoteAddress ?? "");
    const forwarded = headers["x-forwarded-for"];
    if (forwarded !== undefined && trusted.length === 0 && !isIgnored) {
      isIgnored = true;
      onIgnored();
    }
    if (trusted.length > 0 && typeof forwarded === "string") {
      const hops = forwarded.split(",").map(addressOfHop);
      while (isProxy(address) && hops.length > 0) address = hops.pop() ?? address;
    }
    return networkOf(address);
  };
}

/**
 * An entry of X-Forwarded-For as proxies write it: an address, perhaps in brackets, with a port, or quoted as in
 * Forwarded (RFC 7239, section 6).
 */
function addressOfHop(hop: string): string {
  const text = hop.trim().replace(/^"(.*)"$/, "$1");
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return withoutMapping(bracketed ?? withPort ?? text);
}

/** IPv4 clients of a socket that speaks both (RFC 4291, section 2.5.5.2). */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

function networkOf(address: string): string {
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : "unknown";
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const groups = head.split(":").filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter(Boolean).length;
  const all = [...groups, ...Array<string>(missing).fill("0"), ...(tail ?? "").split(":")];
  return `${all
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

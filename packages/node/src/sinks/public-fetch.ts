import { lookup as systemLookup } from "node:dns";
import { Agent as PlainAgent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { environmentProxies } from "../http/environment-fetch.ts";
import { sendByNode } from "../http/proxied-fetch.ts";
import { hostOf } from "../http/proxy-settings.ts";

export interface PublicFetchOptions {
  /** Allows requests to private networks and to this machine. Default `false`. */
  allowPrivateAddresses?: boolean | undefined;
}

/** The request would have connected to an address that is not public. */
export class PrivateAddressError extends Error {
  readonly code = "EPRIVATEADDRESS";
  override readonly name = "PrivateAddressError";
}

/**
 * A `fetch` for untrusted URLs. It checks the very address that it connects to, so a name that resolves to a public
 * address first and to a private one later (DNS rebinding) is refused as well. It follows no redirect. Behind a proxy it
 * refuses private addresses and `localhost` in the URL; other names are the proxy's to resolve.
 */
export function publicFetch(
  { allowPrivateAddresses = false }: PublicFetchOptions = {},
  lookup = systemLookup,
): typeof globalThis.fetch {
  const isAllowed = allowPrivateAddresses ? () => true : isPublicAddress;
  // Its own connections, each of which was checked when it was made. Other code's agents check nothing.
  const proxies = environmentProxies();
  const agents = { plain: new PlainAgent({ keepAlive: true }), secure: new SecureAgent({ keepAlive: true }) };
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const host = hostOf(url);
    // Addresses are not looked up. The URL parser has normalised every spelling to plain digits.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new PrivateAddressError("The address is not public.");
    const proxy = proxies?.proxyOf(url);
    const request = new Request(url, init);
    if (proxy === undefined) {
      const agent = url.protocol === "https:" ? agents.secure : agents.plain;
      const guarded = { agent, lookup: guardedLookup(lookup, isAllowed) };
      return await sendByNode(process.getBuiltinModule, url, guarded, request);
    }
    if (!allowPrivateAddresses && isLocalName(host))
      throw new PrivateAddressError("The name is that of this machine.");
    return await proxies!.fetch(request, proxy);
  };
}

/** `localhost` and all names below it (RFC 6761). */
const isLocalName = (host: string) => /(?:^|\.)localhost\.?$/.test(host);

function guardedLookup(lookup: typeof systemLookup, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      // One private address among public ones is an attack or a mistake, so none of them is used.
      if (found.length === 0 || found.some(({ address }) => !isAllowed(address))) {
        return callback(new PrivateAddressError("The name resolves to an address that is not public."), []);
      }
      const [first] = found;
      if (options.all === true) return callback(null, found);
      return callback(null, first!.address, first!.family);
    });
  };
}

/** NAT64 inside a local network (RFC 8215): its operator decides where it leads. */
const localNat64 = ipaddr.parseCIDR("64:ff9b:1::/48");
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address is on the public internet. Loopback, private, link-local, carrier and documentation ranges are
 * not, nor is any IPv4 address embedded in an IPv6 one.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed.kind() === "ipv4") return true;
  const inside = parsed as ipaddr.IPv6;
  return inside.match(globalUnicast) && !inside.match(localNat64);
}

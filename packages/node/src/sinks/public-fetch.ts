import { lookup as systemLookup } from "node:dns";
import { Agent as PlainAgent, request as plainRequest } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import ipaddr from "ipaddr.js";
import { proxiedFetch } from "../http/environment-fetch.ts";

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
  const guarded = guardedLookup(lookup, isAllowed);
  const proxied = proxiedFetch(undefined, { lookup: guarded });
  // Its own connections, each of which was checked when it was made. Other code's agents check nothing.
  const agents = {
    "http:": new PlainAgent({ keepAlive: true }),
    "https:": new SecureAgent({ keepAlive: true }),
  };
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // Addresses are not looked up. The URL parser has normalised every spelling to plain digits.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new PrivateAddressError("The address is not public.");
    if (!allowPrivateAddresses && isLocalName(host))
      throw new PrivateAddressError("The name is that of this machine.");
    const request = new Request(url, { ...init, redirect: "manual" });
    if (proxied) return await proxied(request);
    const agent = agents[url.protocol as keyof typeof agents];
    return await sendByNode(request, { host, agent, lookup: guarded });
  };
}

/**
 * Sends a request by Node's HTTP client, since `fetch` takes no `lookup`, and undici none in Bun. Follows no redirect and
 * decodes no content: no receiver here needs it.
 */
async function sendByNode(request: Request, options: RequestOptions): Promise<Response> {
  const { method, signal } = request;
  const { port, pathname, search, protocol } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const all = { ...options, port, path: pathname + search, method, signal, headers };
    const send = protocol === "https:" ? secureRequest : plainRequest;
    send(all, resolve).on("error", reject).end(body);
  });
  const { statusCode: status = 0 } = reply;
  const hasBody = ![204, 205, 304].includes(status);
  // An unread body would keep its connection open.
  if (!hasBody) reply.resume();
  const received = Object.entries(reply.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const stream = hasBody ? Readable.toWeb(reply) : null;
  return new Response(stream as ReadableStream<Uint8Array> | null, { status, headers: received });
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

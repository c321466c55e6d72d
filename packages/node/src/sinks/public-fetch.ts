import { lookup as systemLookup } from "node:dns";
import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { isPublicAddress } from "./public-address.ts";

/** The part of Node's `lookup` that is needed, so that the types need none of Node's. */
type Lookup = (
  name: string,
  options: { all: true },
  callback: (error: Error | null, found: { address: string; family: number }[]) => void,
) => void;

export interface PublicFetchOptions {
  /** Allows requests to private networks and to this machine. Default `false`. */
  allowPrivateAddresses?: boolean;
  /** Resolves a name to addresses. Default: `lookup` of `node:dns`. */
  lookup?: Lookup;
}

/** The request would have connected to an address that is not public. */
export class PrivateAddressError extends Error {
  readonly code = "EPRIVATEADDRESS";
  override readonly name = "PrivateAddressError";
}

/**
 * A `fetch` for untrusted URLs. It checks the very address that it connects to, so a name that resolves to a public
 * address first and to a private one later (DNS rebinding) is refused as well. It follows no redirect.
 */
export function publicFetch(options: PublicFetchOptions = {}): typeof globalThis.fetch {
  const { allowPrivateAddresses = false, lookup = systemLookup } = options;
  const isAllowed = allowPrivateAddresses ? () => true : isPublicAddress;
  // Its own connections, each of which was checked when it was made. Other code's agents check nothing.
  const agents = { plain: new PlainAgent({ keepAlive: true }), secure: new SecureAgent({ keepAlive: true }) };
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // Addresses are not looked up. The URL parser has normalised every spelling to plain digits.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new PrivateAddressError("The address is not public.");
    const response = await exchange(url, init, guardedLookup(lookup, isAllowed), agents);
    const { statusCode = 0, headers } = response;
    const hasBody = ![204, 205, 304].includes(statusCode);
    // An unread body would keep its connection open.
    if (!hasBody) response.resume();
    return new Response(hasBody ? (Readable.toWeb(response) as ReadableStream<Uint8Array>) : null, {
      status: statusCode,
      headers: Object.entries(headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      ),
    });
  };
}

function exchange(
  url: URL,
  init: RequestInit,
  lookup: LookupFunction,
  agents: { plain: PlainAgent; secure: SecureAgent },
): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const start = isSecure ? secureRequest : plainRequest;
  const settings = {
    method: init.method,
    headers: Object.fromEntries(new Headers(init.headers)),
    lookup,
    agent: isSecure ? agents.secure : agents.plain,
    signal: init.signal ?? undefined,
  };
  return new Promise((resolve, reject) => {
    const request = start(url, settings, resolve);
    request.on("error", reject);
    request.end(init.body as string | undefined);
  });
}

function guardedLookup(lookup: Lookup, isAllowed: (address: string) => boolean): LookupFunction {
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

import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { isPublicAddress } from "./public-address.ts";

export interface PublicFetchOptions {
  /** Lets requests into private networks and to this machine. Default `false`. */
  allowPrivateAddresses?: boolean;
  /** Finds the addresses of a name. Default that of `node:dns`. */
  lookup?: typeof systemLookup;
}

/** The address that a request would have connected to is not one of the public internet. */
export class PrivateAddressError extends Error {
  readonly code = "EPRIVATEADDRESS";
  override readonly name = "PrivateAddressError";
}

/**
 * A `fetch` for addresses that somebody else may have chosen. What is checked is the very address that is connected
 * to, after the name was resolved for this connection: a name that is public when checked and private when used
 * (DNS rebinding) is refused as well. It follows no redirect.
 */
export function publicFetch(options: PublicFetchOptions = {}): typeof globalThis.fetch {
  const { allowPrivateAddresses = false, lookup = systemLookup } = options;
  const isAllowed = allowPrivateAddresses ? () => true : isPublicAddress;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // No look-up is made for an address, however it was written: the URL parser has made plain digits of it.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new PrivateAddressError("The address is not public.");
    const response = await exchange(url, init, guardedLookup(lookup, isAllowed));
    const { statusCode = 0, headers } = response;
    const hasBody = ![204, 205, 304].includes(statusCode);
    // Nobody will read it, and an answer that is not read holds its connection.
    if (!hasBody) response.resume();
    return new Response(hasBody ? (Readable.toWeb(response) as ReadableStream<Uint8Array>) : null, {
      status: statusCode,
      headers: Object.entries(headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      ),
    });
  };
}

function exchange(url: URL, init: RequestInit, lookup: LookupFunction): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === "https:" ? secureRequest : plainRequest;
    const headers = Object.fromEntries(new Headers(init.headers));
    // A connection of its own for each request: a kept one was checked under another name.
    const settings = {
      method: init.method,
      headers,
      lookup,
      agent: false,
      signal: init.signal ?? undefined,
    } as const;
    start(url, settings, resolve)
      .on("error", reject)
      .end(init.body as string | undefined);
  });
}

function guardedLookup(lookup: typeof systemLookup, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return callback(error, []);
      // One private address among public ones is an attack or a mistake: none of them is used.
      if (found.length === 0 || found.some(({ address }) => !isAllowed(address))) {
        return callback(new PrivateAddressError("The name leads to an address that is not public."), []);
      }
      const [first] = found;
      if (options.all === true) return callback(null, found);
      return callback(null, first!.address, first!.family);
    });
  };
}

import type { EndpointKey, endpoints, ReplyOf } from "@afterword/protocol";
import ky, { isHTTPError, type Hooks, type KyInstance, type Options } from "ky";
import { AfterwordError } from "../errors/afterword-error.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { checkedBaseUrl } from "../options/checked-base-url.ts";
import { isObject, parseJson } from "../options/json.ts";
import type { Logger } from "../options/logger.ts";
import { retryPolicy } from "./retry-policy.ts";
import { toError } from "./to-error.ts";

type Table = typeof endpoints;

/** Options of a single call; the default of each is the client's option. */
export interface CallOptions {
  /** Ends the call, its retries and its waits with an `AbortError`. */
  signal?: AbortSignal | undefined;
  /** Timeout of one attempt, in milliseconds. */
  timeoutInMs?: number | undefined;
  /** How often to retry a call after a transient failure: a whole number from 0. */
  maxRetries?: number | undefined;
}

export interface TransportOptions {
  baseUrl: string;
  timeoutInMs: number;
  maxRetries: number;
  logger: Logger;
  fetch: typeof fetch;
  /** Headers of every request; called for each, so that a key can be rotated. */
  headers: () => Promise<Record<string, string>> | Record<string, string>;
  now: () => number;
  random: () => number;
}

export interface CallInput {
  query?: Record<string, string | undefined>;
  body?: unknown;
  /** Called before each attempt after the first. */
  onRetry?: () => void;
}

/** Sends one call of the contract. */
export interface Transport {
  /** The parsed body of a success. */
  json<K extends EndpointKey>(key: K, input: CallInput, options?: CallOptions): Promise<ReplyOf<Table[K]>>;
  /** The response itself, for a body that is too large for memory. */
  stream(key: EndpointKey, input: CallInput, options?: CallOptions): Promise<Response>;
}

/** The longest delay of a timer, 24 days. */
const longestTimeoutInMs = 2 ** 31 - 1;

function checkedTimeoutInMs(timeoutInMs: number): number {
  if (timeoutInMs > 0 && timeoutInMs <= longestTimeoutInMs) return timeoutInMs;
  throw new ConfigurationError(`timeoutInMs is ${timeoutInMs}; it must be a number of milliseconds above 0.`);
}

/** The caller's function may throw an error that quotes a secret, so only its name is reported. */
async function keyHeaders(headers: TransportOptions["headers"]): Promise<Record<string, string>> {
  try {
    return await headers();
  } catch (error) {
    if (AfterwordError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.name : "unknown reason";
    throw new ConnectionError(`could not load the secret key (${reason})`, { cause: error });
  }
}

function hooks({ headers, logger }: TransportOptions): Hooks {
  return {
    beforeRequest: [
      async ({ request }) => {
        for (const [name, value] of Object.entries(await keyHeaders(headers)))
          request.headers.set(name, value);
      },
    ],
    beforeRetry: [
      ({ request, error, retryCount }) => {
        const reason = isHTTPError(error) ? `status ${error.response.status}` : error.name;
        logger.warn(`${request.method} ${new URL(request.url).pathname}: ${reason}, retry ${retryCount}`);
      },
    ],
  };
}

/** Creates the transport. Throws a `ConfigurationError` for options that cannot work. */
export function createTransport(options: TransportOptions): Transport {
  const { logger, now, random, timeoutInMs, maxRetries } = options;
  const engine: KyInstance = ky.create({
    prefix: checkedBaseUrl("baseUrl", options.baseUrl).href,
    timeout: checkedTimeoutInMs(timeoutInMs),
    retry: retryPolicy(maxRetries, random),
    fetch: (input, init) => options.fetch(input, init),
    hooks: hooks(options),
  });
  async function perform<T>(
    key: EndpointKey,
    { query, body, onRetry }: CallInput,
    call: CallOptions,
    ownFetch: typeof fetch | undefined,
    read: (response: Response) => T,
  ): Promise<T> {
    const [method = "", path = ""] = key.split(" ");
    const startedAt = now();
    const request: Options = { method, signal: call.signal, ...(ownFetch && { fetch: ownFetch }) };
    if (body !== undefined) request.json = body;
    if (onRetry) request.hooks = { beforeRetry: [onRetry] };
    if (call.timeoutInMs !== undefined) request.timeout = checkedTimeoutInMs(call.timeoutInMs);
    if (call.maxRetries !== undefined) request.retry = retryPolicy(call.maxRetries, random);
    try {
      const result = read(await engine(withQuery(path, query), request));
      logger.debug(`${key} succeeded after ${now() - startedAt} ms`);
      return result;
    } catch (error) {
      const failure = toError(error, { method, path, signal: call.signal }, now());
      logger.debug(`${failure.message} after ${now() - startedAt} ms`);
      throw failure;
    }
  }

  return {
    json<K extends EndpointKey>(key: K, input: CallInput, call = {}) {
      let reply: ReplyOf<Table[K]>;
      // Reads the body within the attempt: a connection lost on the way and a page of something in between are retried.
      const whole: typeof fetch = async (target, init) => {
        const response = await options.fetch(target, init);
        const text = await response.text();
        if (response.ok) reply = parsedReply(key, text);
        return new Response(text || null, response);
      };
      return perform(key, input, call, whole, () => reply);
    },
    stream: (key, input, call = {}) => perform(key, input, call, undefined, (response) => response),
  };
}

/** Adds the query here, since ky creates each request twice when it adds one itself. */
function withQuery(path: string, query: CallInput["query"] = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** A success without a JSON object is not the service's, but for example a proxy's login page. */
function parsedReply<K extends EndpointKey>(key: K, text: string): ReplyOf<Table[K]> {
  const body = parseJson(text);
  if (isObject(body)) return body as ReplyOf<Table[K]>;
  throw new ConnectionError(`${key} was not answered with JSON; is baseUrl the service's address?`);
}

import type { EndpointKey, endpoints, ReplyOf } from "@afterword/protocol";
import { AfterwordError } from "../errors/afterword-error.ts";
import { AbortError } from "../errors/abort-error.ts";
import { ApiError } from "../errors/api-error.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { causeOf } from "../errors/error-name.ts";
import { TimeoutError } from "../errors/timeout-error.ts";
import { checkedBaseUrl } from "../options/checked-base-url.ts";
import { checkedWholeNumber } from "../options/checked-whole-number.ts";
import type { Clock } from "../options/clock.ts";
import { isObject, member, parseJson } from "../options/json.ts";
import { safeLogger, silentLogger, type Logger } from "../options/logger.ts";
import { withTimeout } from "../options/time-limit.ts";
import { backoffInMs } from "./backoff.ts";
import { retryAfterInMs } from "./retry-after.ts";

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

/** Options of the connection to the service, common to both clients. */
export interface ConnectionOptions {
  /** Address of the service, also with a path. Default: the variable `AFTERWORD_BASE_URL`. */
  baseUrl?: string | undefined;
  /** Timeout of one attempt, in milliseconds. Default 10,000. */
  timeoutInMs?: number | undefined;
  /** Retries after a connection failure, a timeout, 408, 425, 429 or 5xx. Default 2. */
  maxRetries?: number | undefined;
  /** Default: the runtime's `fetch`, by way of the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. */
  fetch?: typeof fetch | undefined;
  /** Default: nothing is logged. `console` fits. */
  logger?: Logger | undefined;
}

/** What a client takes from the runtime. */
export interface ConnectionEnvironment {
  variables: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  clock: Clock;
  random: () => number;
}

/** Makes the headers of a request; called for each, so that a key can be rotated. */
type MakeHeaders = () => Promise<Record<string, string>>;

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

const defaultLimits = { timeoutInMs: 10_000, maxRetries: 2 };
/** The longest delay of a timer, 24 days. */
const longestTimeoutInMs = 2 ** 31 - 1;
/** The longest Retry-After that is honoured, in milliseconds; a server that asks for more is called again after this. */
const longestRetryAfterInMs = 60_000;
const backoff = { firstInMs: 500, longestInMs: 8000 };

/**
 * Creates the transport. Throws a `ConfigurationError` for options that cannot work, and without a base URL. Every call of the contract may be sent
 * twice: a mint returns another token, acknowledging and erasing are idempotent, a used show-token gets 409, a repeated dismissal
 * its first result (decisions D9, D10 and D90). So connection failures, timeouts, 408, 425, 429 and 5xx are retried.
 */
export function createTransport(
  options: ConnectionOptions,
  { variables, fetch: runtimeFetch, clock, random }: ConnectionEnvironment,
  makeHeaders?: MakeHeaders,
): Transport {
  const { baseUrl = variables["AFTERWORD_BASE_URL"], fetch = runtimeFetch } = options;
  if (!baseUrl) throw new ConfigurationError("No base URL: pass baseUrl or set AFTERWORD_BASE_URL.");
  const base = checkedBaseUrl("baseUrl", baseUrl).href.replace(/\/$/, "");
  const logger = safeLogger(options.logger ?? silentLogger);
  const limits = checkedLimits(options);

  async function perform<T>(
    key: EndpointKey,
    { query, body, onRetry }: CallInput,
    own: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal } = own;
    const { timeoutInMs, maxRetries } = checkedLimits(own, limits);
    const [method = "", path = ""] = key.split(" ");
    const url = new URL(base + withQuery(path, query));
    // The body is read within an attempt: a connection lost on the way and a page of something in between are retried.
    const attempt = async (ends: AbortSignal) => {
      const type = body === undefined ? undefined : { "content-type": "application/json" };
      const headers = { ...type, ...(makeHeaders && (await keyHeaders(makeHeaders))) };
      const init = { method, headers, body: JSON.stringify(body), signal: ends };
      const response = await fetch(url.href, init);
      if (response.ok) return await read(response);
      throw await apiError(response, { method, path }, clock.now());
    };
    const startedAt = clock.now();
    let failure: AfterwordError | undefined;
    for (let retry = 0; ; retry += 1) {
      try {
        if (failure) {
          await clock.sleep(waitInMs(failure, retry, random), signal);
          signal?.throwIfAborted();
          logger.warn(`${method} ${url.pathname}: ${briefly(failure)}, retry ${retry}`);
          onRetry?.();
        }
        const result = await withTimeout(attempt, timeoutInMs, clock, signal);
        logger.debug(`${key} succeeded after ${clock.now() - startedAt} ms`);
        return result;
      } catch (error) {
        failure = toError(error, `${method} ${path}`, signal);
        if (failure.retryable && retry < maxRetries) continue;
        logger.debug(`${failure.message} after ${clock.now() - startedAt} ms`);
        throw failure;
      }
    }
  }

  return {
    json: (key, input, call = {}) => perform(key, input, call, (response) => parsedReply(key, response)),
    stream: (key, input, call = {}) => perform(key, input, call, async (response) => response),
  };
}

function checkedLimits({ timeoutInMs, maxRetries }: CallOptions, byDefault = defaultLimits) {
  const limits = {
    timeoutInMs: timeoutInMs ?? byDefault.timeoutInMs,
    maxRetries: checkedWholeNumber("maxRetries", maxRetries ?? byDefault.maxRetries, 0),
  };
  if (limits.timeoutInMs > 0 && limits.timeoutInMs <= longestTimeoutInMs) return limits;
  throw new ConfigurationError(`timeoutInMs is ${timeoutInMs}; it must be a number of milliseconds above 0.`);
}

/** Converts what `fetch` or a time limit has thrown to an error of this package. */
function toError(error: unknown, request: string, signal: AbortSignal | undefined): AfterwordError {
  if (AfterwordError.isInstance(error)) return error;
  const options = { cause: error };
  if (signal?.aborted) return new AbortError(`${request} was aborted`, options);
  if (error instanceof DOMException && error.name === "TimeoutError")
    return new TimeoutError(`${request} was not answered in time`, options);
  const reason = error instanceof Error ? (causeOf(error) ?? error.name) : "unknown reason";
  return new ConnectionError(`${request} could not connect (${reason})`, options);
}

/** The caller's function may throw an error that quotes a secret, so only its name is reported. */
async function keyHeaders(make: MakeHeaders): Promise<Record<string, string>> {
  try {
    return await make();
  } catch (error) {
    if (AfterwordError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.name : "unknown reason";
    throw new ConnectionError(`could not load the secret key (${reason})`, { cause: error });
  }
}

function waitInMs(failure: AfterwordError, retry: number, random: () => number): number {
  const askedInMs = ApiError.isInstance(failure) ? failure.retryAfterInMs : undefined;
  return askedInMs === undefined
    ? backoffInMs(backoff, retry, random)
    : Math.min(askedInMs, longestRetryAfterInMs);
}

const briefly = (failure: AfterwordError) =>
  ApiError.isInstance(failure) ? `status ${failure.status}` : failure.name;

async function apiError(response: Response, call: { method: string; path: string }, now: number) {
  const { headers, status } = response;
  const body = parseJson(await response.text());
  const instance = member(body, "instance");
  return new ApiError({
    ...call,
    status,
    requestId: headers.get("x-request-id") ?? (typeof instance === "string" ? instance : undefined),
    retryAfterInMs: retryAfterInMs(headers.get("retry-after"), now),
    body,
  });
}

function withQuery(path: string, query: CallInput["query"] = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** A success without a JSON object is not the service's, but for example a proxy's login page. */
async function parsedReply<K extends EndpointKey>(key: K, response: Response): Promise<ReplyOf<Table[K]>> {
  const body = parseJson(await response.text());
  if (isObject(body)) return body as ReplyOf<Table[K]>;
  throw new ConnectionError(`${key} was not answered with JSON; is baseUrl the service's address?`);
}

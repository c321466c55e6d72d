import type { EndpointKey, endpoints, ReplyOf } from "@afterword/protocol";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import ky, { isHTTPError, isTimeoutError, type Hooks, type HTTPError, type Options } from "ky";
import {
  AbortError,
  AfterwordError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
} from "../errors/afterword-error.ts";
import { ApiError } from "../errors/api-error.ts";
import { causeOf } from "../errors/error-name.ts";
import { checkedBaseUrl, checkedWholeNumber } from "../options/checked-option.ts";
import { longestDelayInMs } from "../options/clock.ts";
import { isObject, member, parseJson } from "../options/json.ts";
import { type Logger, safeLogger, silentLogger } from "../options/logger.ts";
import { environmentFetch, ownVariables } from "./environment-fetch.ts";
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

const defaultTimeoutInMs = 10_000;
const defaultMaxRetries = 2;
/** The longest Retry-After that is honoured, in milliseconds; a server that asks for more is called again after this. */
const longestRetryAfterInMs = 60_000;
const longestBackoffInMs = 8000;
const firstBackoffInMs = 500;

const retryableStatuses = Array.from({ length: 200 }, (_, index) => 400 + index).filter(isRetryableStatus);
// Every call of the contract may be sent twice: a mint returns another token, acknowledging and erasing are
// idempotent, a used show-token gets 409, a repeated dismissal its first result (decisions D9, D10 and D90).
const retriedMethods = ["get", "post", "delete"];

/** Retries connection failures, timeouts, 408, 425, 429 and 5xx. */
const retryPolicy = (maxRetries: number): Options["retry"] => ({
  limit: checkedWholeNumber("maxRetries", maxRetries, 0),
  methods: retriedMethods,
  statusCodes: retryableStatuses,
  afterStatusCodes: retryableStatuses,
  maxRetryAfter: longestRetryAfterInMs,
  backoffLimit: longestBackoffInMs,
  delay: (attempt) => firstBackoffInMs * 2 ** (attempt - 1),
  jitter: (delayInMs) => delayInMs * (0.75 + Math.random() * 0.25),
  retryOnTimeout: true,
  // ky does not recognise the network failures of every runtime by name, so anything but a reply is retried.
  shouldRetry: ({ error }) => (isHTTPError(error) ? undefined : true),
});

/** Creates the transport. Throws a `ConfigurationError` for options that cannot work, and without a base URL. */
export function createTransport(
  options: ConnectionOptions,
  makeHeaders: MakeHeaders = async () => ({}),
): Transport {
  const { baseUrl = ownVariables()["AFTERWORD_BASE_URL"], fetch = environmentFetch() } = options;
  if (!baseUrl) throw new ConfigurationError("No base URL: pass baseUrl or set AFTERWORD_BASE_URL.");
  const logger = safeLogger(options.logger ?? silentLogger);
  const defaults = {
    timeout: checkedTimeoutInMs(options.timeoutInMs ?? defaultTimeoutInMs),
    retry: retryPolicy(options.maxRetries ?? defaultMaxRetries),
  };
  const engine = ky.create({
    prefix: checkedBaseUrl("baseUrl", baseUrl).href,
    hooks: hooks(makeHeaders, logger),
  });

  async function perform(
    key: EndpointKey,
    { query, body, onRetry = () => undefined }: CallInput,
    { signal, timeoutInMs, maxRetries }: CallOptions = {},
    send = fetch,
  ): Promise<Response> {
    const [method = "", path = ""] = key.split(" ");
    const startedAt = Date.now();
    const timeout = timeoutInMs === undefined ? defaults.timeout : checkedTimeoutInMs(timeoutInMs);
    const retry = maxRetries === undefined ? defaults.retry : retryPolicy(maxRetries);
    try {
      const response = await engine(path, {
        method,
        searchParams: query,
        json: body,
        signal,
        timeout,
        retry,
        hooks: { beforeRetry: [onRetry] },
        fetch: (input, init) => send(input, init),
      });
      logger.debug(`${key} succeeded after ${Date.now() - startedAt} ms`);
      return response;
    } catch (error) {
      const failure = toError(error, key, signal);
      logger.debug(`${failure.message} after ${Date.now() - startedAt} ms`);
      throw failure;
    }
  }

  return {
    async json<K extends EndpointKey>(key: K, input: CallInput, call?: CallOptions) {
      let reply: ReplyOf<Table[K]> | undefined;
      // Reads the body within the attempt: a connection lost on the way and a page of something in between are retried.
      const whole: typeof fetch = async (target, init) => {
        const response = await fetch(target, init);
        const text = await response.text();
        if (response.ok) reply = parsedReply(key, text);
        return new Response(text || null, response);
      };
      await perform(key, input, call, whole);
      return reply!;
    },
    stream: (key, input, call) => perform(key, input, call),
  };
}

function checkedTimeoutInMs(timeoutInMs: number): number {
  if (timeoutInMs > 0 && timeoutInMs <= longestDelayInMs) return timeoutInMs;
  throw new ConfigurationError(`timeoutInMs is ${timeoutInMs}; it must be a number of milliseconds above 0.`);
}

function hooks(makeHeaders: MakeHeaders, logger: Logger): Hooks {
  return {
    beforeRequest: [
      async ({ request }) => {
        const made = Object.entries(await keyHeaders(makeHeaders));
        for (const [name, value] of made) request.headers.set(name, value);
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

/** Converts an error of fetch or ky to one of this package. */
function toError(error: unknown, key: string, signal: AbortSignal | undefined): AfterwordError {
  if (AfterwordError.isInstance(error)) return error;
  if (isHTTPError(error)) return apiError(error, key);
  // ky's errors have the request, whose headers hold the secret key, and a logger prints the causes of an error.
  const options = { cause: error instanceof Error && "request" in error ? error.cause : error };
  if (signal?.aborted) return new AbortError(`${key} was aborted`, options);
  if (isTimeoutError(error)) return new TimeoutError(`${key} was not answered in time`, options);
  const reason = error instanceof Error ? (causeOf(error) ?? error.name) : "unknown reason";
  return new ConnectionError(`${key} could not connect (${reason})`, options);
}

function apiError({ response, data }: HTTPError, key: string): ApiError {
  const [method = "", path = ""] = key.split(" ");
  const { status, headers } = response;
  const instance = member(data, "instance");
  const requestId = headers.get("x-request-id") ?? (typeof instance === "string" ? instance : undefined);
  const retryAfter = retryAfterInMs(headers.get("retry-after"), Date.now());
  return new ApiError({ method, path, status, requestId, retryAfterInMs: retryAfter, body: data });
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

/** A success without a JSON object is not the service's, but for example a proxy's login page. */
function parsedReply<K extends EndpointKey>(key: K, text: string): ReplyOf<Table[K]> {
  const body = parseJson(text);
  if (isObject(body)) return body as ReplyOf<Table[K]>;
  throw new ConnectionError(`${key} was not answered with JSON; is baseUrl the service's address?`);
}

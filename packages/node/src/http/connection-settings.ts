import type { Clock } from "../options/clock.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { safeLogger, silentLogger, type Logger } from "../options/logger.ts";
import type { TransportOptions } from "./transport.ts";

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

/** Fills in the defaults of a connection. Throws a `ConfigurationError` without a base URL. */
export function connectionSettings(
  options: ConnectionOptions,
  { variables, fetch, clock, random }: ConnectionEnvironment,
): Omit<TransportOptions, "headers"> {
  const baseUrl = options.baseUrl ?? variables["AFTERWORD_BASE_URL"];
  if (!baseUrl) throw new ConfigurationError("No base URL: pass baseUrl or set AFTERWORD_BASE_URL.");
  return {
    baseUrl,
    timeoutInMs: options.timeoutInMs ?? 10_000,
    maxRetries: options.maxRetries ?? 2,
    logger: safeLogger(options.logger ?? silentLogger),
    fetch: options.fetch ?? fetch,
    clock,
    random,
  };
}

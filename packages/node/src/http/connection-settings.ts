import type { Clock } from "../options/clock.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { silentLogger, type Logger } from "../options/logger.ts";
import type { TransportOptions } from "./transport.ts";

/** Options of the connection to the service, common to both clients. */
interface ConnectionOptions {
  baseUrl?: string;
  timeout?: number;
  maxRetries?: number;
  fetch?: typeof fetch;
  logger?: Logger;
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
    timeoutInMs: options.timeout ?? 10_000,
    maxRetries: options.maxRetries ?? 2,
    logger: options.logger ?? silentLogger,
    fetch: options.fetch ?? fetch,
    now: () => clock.now(),
    random,
  };
}

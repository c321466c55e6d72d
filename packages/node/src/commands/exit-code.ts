import {
  AbortError,
  AfterwordError,
  ConfigurationError,
  ForwarderStoppedError,
} from "../errors/afterword-error.ts";
import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import { ErasureIncompleteError } from "../privacy/erase-everywhere.ts";

/** The program's exit codes; `afterword --help` and the documentation list them. */
export const exitCodes = {
  done: 0,
  /** A bug in the program. */
  failed: 1,
  /** Flags, environment or configuration file are wrong, and nothing was sent; or a mint names a survey that does not exist. */
  usage: 2,
  /** Nothing can be delivered until a key or a setting is changed: the service or the sink refuses everything. */
  refusedKey: 3,
  /** Not now: no connection, a rate limit, a fault of the server, or scores that are pending after `--once` or unconfirmed at the end. */
  tryAgain: 4,
  /** The service refuses this very request. */
  refused: 5,
  /** The service has erased its part, or may have, but not every sink: run it again with its output as `--again`. */
  incomplete: 6,
  /** Interrupted before it was done. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code for an error that a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (ConfigurationError.isInstance(error)) return exitCodes.usage;
  if (ForwarderStoppedError.isInstance(error) || isRefusedKey(error)) return exitCodes.refusedKey;
  if (ApiError.isInstance(error)) return error.retryable ? exitCodes.tryAgain : exitCodes.refused;
  if (ErasureIncompleteError.isInstance(error) && !error.retryable) return exitCodes.incomplete;
  if (AbortError.isInstance(error)) return exitCodes.interrupted;
  return AfterwordError.isInstance(error) ? exitCodes.tryAgain : exitCodes.failed;
}

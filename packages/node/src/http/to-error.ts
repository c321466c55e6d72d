import { AbortError } from "../errors/abort-error.ts";
import { AfterwordError } from "../errors/afterword-error.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { TimeoutError } from "../errors/timeout-error.ts";

/** The call that failed. */
export interface FailedCall {
  method: string;
  path: string;
  signal?: AbortSignal | undefined;
}

/** Converts what `fetch` or a time limit has thrown to an error of this package. */
export function toError(error: unknown, { method, path, signal }: FailedCall): AfterwordError {
  if (AfterwordError.isInstance(error)) return error;
  const request = `${method} ${path}`;
  const options = { cause: error };
  if (signal?.aborted) return new AbortError(`${request} was aborted`, options);
  if (error instanceof DOMException && error.name === "TimeoutError")
    return new TimeoutError(`${request} was not answered in time`, options);
  const reason = error instanceof Error ? (causeOf(error) ?? error.name) : "unknown reason";
  return new ConnectionError(`${request} could not connect (${reason})`, options);
}

/** The code of the deepest cause, for example ECONNREFUSED, which says more than "fetch failed". */
export function causeOf(error: Error): string | undefined {
  const inner = error.cause instanceof Error ? causeOf(error.cause) : undefined;
  return inner ?? ("code" in error && typeof error.code === "string" ? error.code : undefined);
}

import { isHTTPError, isTimeoutError, type HTTPError } from "ky";
import { AbortError } from "../errors/abort-error.ts";
import { AfterwordError } from "../errors/afterword-error.ts";
import { ApiError } from "../errors/api-error.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { TimeoutError } from "../errors/timeout-error.ts";
import { member } from "../options/json.ts";
import { retryAfterInMs } from "./retry-after.ts";

/** The call that failed. */
export interface FailedCall {
  method: string;
  path: string;
  signal?: AbortSignal;
}

function apiError({ response, data }: HTTPError, { method, path }: FailedCall, now: number): ApiError {
  const instance = member(data, "instance");
  const ownId = typeof instance === "string" ? instance : undefined;
  return new ApiError({
    method,
    path,
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? ownId,
    retryAfterInMs: retryAfterInMs(response.headers.get("retry-after"), now),
    body: data,
  });
}

/** Converts an error of fetch or ky to one of this package. */
export function toError(error: unknown, call: FailedCall, now: number): AfterwordError {
  if (AfterwordError.isInstance(error)) return error;
  if (isHTTPError(error)) return apiError(error, call, now);
  const request = `${call.method} ${call.path}`;
  // ky's errors have the request, whose headers hold the secret key, and a logger prints the causes of an error.
  const options = { cause: error instanceof Error && "request" in error ? error.cause : error };
  if (call.signal?.aborted) return new AbortError(`${request} was aborted`, options);
  if (isTimeoutError(error)) return new TimeoutError(`${request} was not answered in time`, options);
  const reason = error instanceof Error ? (causeOf(error) ?? error.name) : "unknown reason";
  return new ConnectionError(`${request} could not connect (${reason})`, options);
}

/** The code of the deepest cause, for example ECONNREFUSED, which says more than "fetch failed". */
export function causeOf(error: Error): string | undefined {
  const inner = error.cause instanceof Error ? causeOf(error.cause) : undefined;
  return inner ?? ("code" in error && typeof error.code === "string" ? error.code : undefined);
}

import { Refusal } from "../domain/refusal.ts";
import { type Problem } from "./problem-reply.ts";
import { RateLimited } from "../limits/rate-limited.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";

/** How long a client waits before it tries a busy server again. */
export const retryAfterInSeconds = 2;

/** The problem that an error becomes, and header fields that go with it. */
export function refusalOf(
  error: unknown,
  requestId: string,
): { problem: Problem; headers: Record<string, string> } {
  if (Refusal.isInstance(error)) {
    const { code, details, status } = error;
    return { problem: { ...details, code, status, requestId }, headers: {} };
  }
  if (RateLimited.isInstance(error)) {
    const { policy, retryAfterInSeconds: wait } = error.verdict;
    const detail = `Try again in ${wait} seconds.`;
    return {
      problem: { code: "rate_limited", requestId, detail, violatedPolicies: [policy.name] },
      headers: { "Retry-After": String(wait) },
    };
  }
  const code = StoreUnavailable.isInstance(error) ? "unavailable" : "internal_error";
  const detail =
    code === "unavailable"
      ? "Try again; what may have been stored is not stored twice."
      : "Report the request id to the operator.";
  return {
    problem: { code, requestId, detail },
    headers: code === "unavailable" ? { "Retry-After": String(retryAfterInSeconds) } : {},
  };
}

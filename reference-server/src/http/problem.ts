import { problems, quotaExceededType, type ProblemCode, type ProblemDocument } from "@afterword/protocol";
import { Refusal, retryAfterInSeconds, type RefusalDetails } from "../domain/refusal.ts";
import { StoreUnavailable } from "../store/store-errors.ts";
import { type RequestContext } from "./request-context.ts";

interface Problem extends RefusalDetails {
  code: ProblemCode;
}

/** RFC 9110, section 11.6.1. Public routes take no credentials from headers. */
const challenge = { "WWW-Authenticate": "Bearer" };
const secretKeyCodes: ReadonlySet<ProblemCode> = new Set(["secret_key_required", "scope_required"]);

function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) {
    const { code, status, details } = error;
    return { headers: secretKeyCodes.has(code) ? challenge : undefined, ...details, code, status };
  }
  if (error instanceof StoreUnavailable) {
    const headers = { "Retry-After": String(retryAfterInSeconds) };
    return { code: "unavailable", detail: "Retry the same request: nothing is stored twice.", headers };
  }
  return { code: "internal_error", detail: "Report the request id to the operator." };
}

/**
 * Maps an error to an RFC 9457 document, which never repeats what was sent. Pages of refused origins learn nothing beyond 403.
 * @param headers of every reply; the problem adds its own
 */
export function problemReply(
  { event, services }: RequestContext,
  error: unknown,
  headers: Readonly<Record<string, string>>,
): Response {
  const problem = problemOf(error);
  const { code, status = problems[code].status, detail, errors, existing, violatedPolicies } = problem;
  const { requestId } = event;
  // An erasure that was refused is for the operator to look at, and rare.
  const isErasure = event.method === "DELETE" && code === "unavailable";
  if (code === "internal_error" || isErasure) services.events.emit({ kind: "failure", requestId, error });
  event.code = code;
  if (problem.shed) event.shed = problem.shed;
  const document: ProblemDocument = {
    "type": violatedPolicies ? quotaExceededType : "about:blank",
    "title": problems[code].title,
    status,
    detail,
    "instance": requestId,
    code,
    errors,
    existing,
    "violated-policies": violatedPolicies,
  };
  const all: Record<string, string> = {
    ...headers,
    ...problem.headers,
    "Content-Type": "application/problem+json",
  };
  if (code === "origin_not_allowed") delete all["Access-Control-Allow-Origin"];
  return new Response(JSON.stringify(document), { status, headers: all });
}

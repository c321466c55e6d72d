import { problems, quotaExceededType, type ProblemCode, type ProblemDocument } from "@afterword/protocol";
import { type RefusalDetails } from "../domain/refusal.ts";
import { type Reply } from "./reply.ts";

/** A refusal as it goes onto the wire. */
export interface Problem extends RefusalDetails {
  code: ProblemCode;
  requestId: string;
  violatedPolicies?: string[];
}

export function problemDocumentOf(problem: Problem): ProblemDocument {
  const { code, requestId, violatedPolicies, status, detail, errors, existing } = problem;
  return {
    type: violatedPolicies ? quotaExceededType : "about:blank",
    title: problems[code].title,
    status: status ?? problems[code].status,
    ...(detail !== undefined && { detail }),
    instance: requestId,
    code,
    ...(errors && { errors }),
    ...(existing && { existing }),
    ...(violatedPolicies && { "violated-policies": violatedPolicies }),
  };
}

/** RFC 9457; the body says what to do and never repeats what was sent (decision D37). */
export function problemReply(problem: Problem, headers: Record<string, string> = {}): Reply {
  const document = problemDocumentOf(problem);
  return {
    status: document.status,
    headers: { ...headers, "Content-Type": "application/problem+json" },
    body: JSON.stringify(document),
  };
}

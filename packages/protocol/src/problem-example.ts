import { type ProblemDocument } from "./problem-document.ts";
import { problems, quotaExceededType, type ProblemCode } from "./problems.ts";

const requestId = "01a1fd18-2c11-7f3e-9d52-6f0a4b8f21c7";
const existing = {
  id: "01a1fd16-8805-74a8-ace7-b794ffe595af",
  at: "2026-11-21T12:00:00.000Z",
  kind: "response",
} as const;

/** A problem document for the reference. @param policy the exceeded limit of a 429 */
export function problemExample(code: ProblemCode, status: number, policy: string): ProblemDocument {
  const isLimit = code === "rate_limited";
  return {
    type: isLimit ? quotaExceededType : "about:blank",
    title: problems[code].title,
    status,
    instance: requestId,
    code,
    ...(code === "token_used" && { existing }),
    ...(isLimit && { "violated-policies": [policy] }),
  };
}

import { type EraseReply, type ExportReply } from "./privacy.ts";
import { type ProblemDocument } from "./problem-document.ts";
import { problems, quotaExceededType, type ProblemCode } from "./problems.ts";
import { type IngestOk } from "./response.ts";
import { type AckReply, type PendingScoresReply } from "./score.ts";
import { type BootstrapReply, type MintReply, type ShownReply, type TokenCheckReply } from "./token.ts";

// Example replies for the reference. They follow one rating from the token to its erasure.

const at = "2026-11-21T12:00:00.000Z";
const id = "01a1fd16-8805-74a8-ace7-b794ffe595af";
const surveyId = "satisfaction";
const rating = 4;
const text = "It found the order at once.";

export const bootstrapReply: BootstrapReply = {
  surveys: [
    {
      id: surveyId,
      slug: "satisfaction",
      type: "csat",
      question: "How well did the agent do this task?",
      presentation: "corner",
      trigger: "manual",
    },
  ],
  suppression: [],
  showTokens: { [surveyId]: "st1.…" },
  reports: ["shown"],
};

export const ingestOk: IngestOk = { ok: true, id, at };

export const mintReply: MintReply = {
  tokens: { [surveyId]: "st2.…" },
  suppression: [],
  issuedAt: "2026-11-21T11:58:00.000Z",
  reports: ["shown"],
};

export const tokenCheckReply: TokenCheckReply = { state: "used", surveyId, answer: { rating, at } };

export const shownReply: ShownReply = { ok: true };

export const pendingScoresReply: PendingScoresReply = {
  scores: [
    { id, surveyId, at, sessionId: "run-2041", observationId: null, rating, text, taskType: "refund" },
  ],
};

export const ackReply: AckReply = { ok: true, updated: 1 };

export const exportReply: ExportReply = {
  projectId: "shop",
  exportedAt: "2026-11-21T12:05:00.000Z",
  count: 1,
  responses: [
    {
      id,
      surveyId,
      surveyVersion: 1,
      respondentId: "user-17",
      rating,
      text,
      at,
      source: "measured",
      traits: null,
    },
  ],
};

export const eraseReply: EraseReply = {
  ok: true,
  mode: "respondent",
  respondentIds: ["user-17"],
  responsesDeleted: 1,
  dismissalsDeleted: 0,
  suppressionRetained: 1,
  note: "Delivered scores stay at the observability service until you delete them there.",
};

/** A problem document for the reference. @param policy the exceeded limit of a 429 */
export function problemExample(code: ProblemCode, status: number, policy: string): ProblemDocument {
  const isLimit = code === "rate_limited";
  return {
    type: isLimit ? quotaExceededType : "about:blank",
    title: problems[code].title,
    status,
    instance: "01a1fd18-2c11-7f3e-9d52-6f0a4b8f21c7",
    code,
    ...(code === "token_used" && { existing: { id, at, kind: "response" } }),
    ...(isLimit && { "violated-policies": [policy] }),
  };
}

import { timestamp } from "../domain/ids-and-times.ts";
import { issueTokens } from "../domain/issue-tokens.ts";
import { type Handler } from "../http/handlers.ts";

/** Mints session-bound tokens after an agent's task; same gating as bootstrap. */
export const tokens: Handler<"POST /v1/sdk/tokens"> = async ({ service, project, body }) => {
  const { respondentId, surveyId, sessionId, observationId, taskType } = body;
  const binding = { sessionId, observationId, taskType };
  const issued = await issueTokens(service, project, { respondentId, surveyId, binding });
  return { tokens: issued.tokens, suppression: issued.suppression, issuedAt: timestamp(issued.issuedAt) };
};

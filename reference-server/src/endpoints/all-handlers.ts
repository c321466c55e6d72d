import { eraseResponses } from "../domain/erase-responses.ts";
import { exportRowText, openExport } from "../domain/export-responses.ts";
import { accessedOf } from "../domain/hooks.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { agreedOn } from "../domain/refusal.ts";
import { issueTokens } from "../domain/issue-tokens.ts";
import { acknowledgeScores, listPendingScores } from "../domain/score-queue.ts";
import { checkTokens, dismiss, reportShown, submitResponse } from "../domain/spend-token.ts";
import { type Call, type Handler, type Handlers } from "../http/handlers.ts";
import { bufferedText } from "../http/buffered-text.ts";
import { type ExportSnapshot } from "../store/store.ts";

type Bootstrap = Pick<Call<"GET /v1/definitions">, "service" | "project" | "isHead">;

async function bootstrap({ service, project, isHead }: Bootstrap, respondentId: string | undefined) {
  const { tokens, suppression, reports } = await issueTokens(service, project, { respondentId, isHead });
  const own = JSON.stringify({ suppression, showTokens: tokens, reports });
  return `{"surveys":${project.activeSurveysJson},${own.slice(1)}`;
}

async function* textsOf(snapshot: ExportSnapshot, head: string): AsyncGenerator<string> {
  yield head;
  let separator = "";
  for await (const page of snapshot.pages()) {
    yield separator + page.map(exportRowText).join(",");
    separator = ",";
  }
  yield "]}";
}

/** From one snapshot, in pages: a million rows must not become one string. */
const exportResponses: Handler<"GET /v1/privacy/export"> = async (call) => {
  const { service, project, query, isHead, signal, requester, hooks } = call;
  // First: a signal that is taken after the client has disconnected is never aborted.
  const gone = signal();
  await using snapshot = await openExport(service, project, query);
  try {
    // A HEAD gives nothing out.
    const { count, selection } = snapshot;
    if (!isHead) await hooks.beforeExport?.({ ...selection, project: accessedOf(project), requester, count });
    const exportedAt = timestamp(service.clock.now());
    const head = JSON.stringify({ projectId: project.id, exportedAt, count }).slice(0, -1);
    const texts = isHead ? [] : textsOf(snapshot, `${head},"responses":[`);
    const reply = await bufferedText(texts, service.store.temporaryFolder, gone);
    reply.once("close", snapshot.giveBack);
    if (gone.aborted) reply.destroy();
    gone.addEventListener("abort", () => reply.destroy(), { once: true });
    return reply;
  } catch (error) {
    snapshot.giveBack();
    throw error;
  }
};

/** The handler of each endpoint. */
export const handlers: Handlers = {
  "POST /v1/sdk/bootstrap": (call) => {
    const { query, body } = call;
    // `null` counts as absent.
    return bootstrap(call, agreedOn("userId", "user ids", query.userId, body.userId ?? undefined));
  },
  "GET /v1/definitions": (call) => bootstrap(call, call.query.userId),

  // Both paths share one ledger of spent tokens.
  "POST /v1/sdk/responses": submitResponse,
  "POST /v1/responses": submitResponse,

  "POST /v1/dismissals": dismiss,

  "POST /v1/shown": ({ service, project, body }) => reportShown(service, project, body.showToken),

  // Session-bound tokens after an agent's task; same gating as bootstrap.
  "POST /v1/sdk/tokens": ({ service, project, body }) => {
    const { respondentId, surveyId, sessionId, observationId, taskType, run } = body;
    const binding = { sessionId, observationId, taskType };
    return issueTokens(service, project, { respondentId, surveyId, binding, run });
  },

  "POST /v1/sdk/tokens/check": ({ service, project, body }) => checkTokens(service, project, body),

  "GET /v1/sdk/pending-scores": ({ service, project, query, isHead }) =>
    listPendingScores(service, project, isHead ? { ...query, lease: undefined } : query),
  "POST /v1/sdk/pending-scores/ack": async ({ service, project, body }) => ({
    ok: true,
    updated: await acknowledgeScores(service, project, body.results),
  }),

  "GET /v1/privacy/export": exportResponses,
  "DELETE /v1/privacy/erase": ({ service, project, query, ...options }) =>
    eraseResponses(service, project, query, options),
};

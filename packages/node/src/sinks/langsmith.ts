import { type DeliverableScore, defineSink, type Outcome, type Sink } from "../scores/sink.ts";
import { missingTarget, resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { deliverEach, eachErasure } from "./each-score.ts";
import { isUuid, nameUuid } from "./name-uuid.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { type Secret, secretHeaders } from "./secret.ts";
import { examineBy, projectProbe } from "./sink-examination.ts";
import { type HttpSinkOptions, type SinkAnswer, sinkRequests } from "./sink-request.ts";
import { erasureOutcome, hasId, isJsonObject, namesWhatIsMissing, statusOutcome } from "./status-outcome.ts";

/** A run, or a thread, which is what LangSmith calls a session. */
export type LangsmithTarget =
  | {
      /** UUID of the run that is rated, for example the root run of the session's last trace. */
      runId: string;
      /** UUID of the run's tracing project. */
      projectId: string;
    }
  | {
      /** The `session_id`, `thread_id` or `conversation_id` of the thread's runs. */
      threadId: string;
      /** UUID of the thread's tracing project. */
      projectId: string;
    };

export interface LangsmithOptions extends HttpSinkOptions {
  apiKey: Secret;
  /** UUID of the tracing project; required unless `resolveTarget` is set. */
  projectId?: string;
  /**
   * Finds the run or thread of a score. Default: the run named by a UUID or by a run reference with a span, else the
   * thread with the session's id.
   */
  resolveTarget?: ResolveTarget<LangsmithTarget>;
  /** Default `https://api.smith.langchain.com`. */
  baseUrl?: string;
  /** Whether feedback extends the retention of the run's trace, at a cost. Default `false`. */
  extendTraceRetention?: boolean;
}

/**
 * Sends feedback to LangSmith with a UUID derived from the response's id; feedback that exists already counts as
 * delivered. If a run is still missing after a day, its thread gets the rating.
 */
export function langsmith(options: LangsmithOptions): Sink {
  const { apiKey, projectId, extendTraceRetention = false, clock = Date.now } = options;
  if (!projectId && typeof options.resolveTarget !== "function")
    throw new ConfigurationError("Sink langsmith needs projectId, or resolveTarget.");
  const resolveTarget = options.resolveTarget ?? runOrThreadOf(projectId!);
  const headers = secretHeaders(apiKey, "The API key of LangSmith", (key) => ({ "x-api-key": key }));
  const send = sinkRequests(
    { name: "langsmith", baseUrl: options.baseUrl ?? "https://api.smith.langchain.com", headers },
    options,
  );

  async function deliverOne(score: DeliverableScore, signal: AbortSignal): Promise<Outcome> {
    const found = await resolvedTarget(resolveTarget, score, { signal }, clock());
    return "target" in found ? await deliverTo(found.target, score, signal) : found;
  }

  async function deliverTo(
    target: LangsmithTarget,
    score: DeliverableScore,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const retention = "runId" in target ? { extend_trace_retention: extendTraceRetention } : {};
    const body = { ...feedbackOf(score, target), ...retention };
    const answer = await send({ method: "POST", path: "/feedback", body }, signal);
    if (answer.kind === "answer" && answer.status === 409 && isJsonObject(answer.body))
      return { outcome: "delivered" };
    const notFound = saysMissing(answer) ? missingTarget(score, answer.reason, clock()) : undefined;
    if (notFound?.outcome === "permanent" && "runId" in target && score.sessionId !== null)
      return await deliverTo({ threadId: score.sessionId, projectId: target.projectId }, score, signal);
    return statusOutcome(answer, {
      accepts: hasId,
      notFound,
    });
  }

  return defineSink({
    name: "langsmith",
    deliver: deliverEach(deliverOne),
    examine: projectId
      ? examineBy(send, [projectProbe("/sessions", projectId)], "the key is accepted and the project exists")
      : examineBy(send, [{ path: "/sessions?limit=1", accepts: Array.isArray }], "the key is accepted"),
    eraseScores: eachErasure(async ({ id }, signal) =>
      erasureOutcome(await send({ method: "DELETE", path: `/feedback/${nameUuid(id)}` }, signal)),
    ),
  });
}

const runOrThreadOf =
  (projectId: string): ResolveTarget<LangsmithTarget> =>
  ({ sessionId, observationId }) => {
    if (observationId !== null && isUuid(observationId)) return { runId: observationId, projectId };
    const spanId = readRunReference(observationId)?.spanId;
    if (spanId !== undefined) return { runId: runOfSpan(spanId), projectId };
    return sessionId === null ? "never" : { threadId: sessionId, projectId };
  };

/** The id that LangSmith gives to the run of an OpenTelemetry span. A trace has the id of its root run. */
const runOfSpan = (spanId: string) => `00000000-0000-0000-${spanId.slice(0, 4)}-${spanId.slice(4)}`;

/** LangSmith's answer names the missing run. */
const saysMissing = (answer: SinkAnswer) =>
  answer.kind === "answer" && isJsonObject(answer.body) && namesWhatIsMissing(answer.body);

/** LangSmith calls a tracing project a session. */
const feedbackOf = (score: DeliverableScore, target: LangsmithTarget) => ({
  id: nameUuid(score.id),
  ...("runId" in target ? { run_id: target.runId } : { feedback_thread_id: target.threadId }),
  session_id: target.projectId,
  key: score.name,
  score: score.rating ?? undefined,
  value: score.label ?? undefined,
  comment: score.text ?? undefined,
  feedback_source: { type: "api", metadata: scoreMetadata(score) },
});

import {
  type DeliverableScore,
  defineSink,
  type ErasableScore,
  type Outcome,
  type Sink,
} from "../scores/sink.ts";
import { missingTarget, resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { eachErasure, eachScore } from "./each-score.ts";
import { erasureOutcome } from "./erasure-outcome.ts";
import { isUuid, nameUuid } from "./name-uuid.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { type Secret, secretHeaders } from "./secret.ts";
import { examineBy, type Probe } from "./sink-examination.ts";
import { type HttpSinkOptions, type SinkAnswer, sinkRequests } from "./sink-request.ts";
import {
  isJsonObject,
  namesWhatIsMissing,
  nothingToSend,
  saysNothing,
  statusOutcome,
} from "./status-outcome.ts";

/** A run, or a thread, which is what LangSmith calls a session. */
export type LangsmithTarget =
  | {
      /** UUID of the run that is rated, for example the root run of the session's last trace. */
      runId: string;
      /** UUID of the run's tracing project. */
      projectId: string;
    }
  | {
      /** What the runs of the thread carry as `session_id`, `thread_id` or `conversation_id`. */
      threadId: string;
      /** UUID of the thread's tracing project. */
      projectId: string;
    };

export interface LangsmithOptions extends HttpSinkOptions {
  apiKey: Secret;
  /** UUID of the tracing project; needed unless `resolveTarget` is given. */
  projectId?: string;
  /**
   * Finds the run or thread of a score. Default: the run that an observation id in the form of a UUID names, or a run
   * reference with a span; else the thread that has the session's id.
   */
  resolveTarget?: ResolveTarget<LangsmithTarget>;
  /** Default `https://api.smith.langchain.com`. */
  baseUrl?: string;
  /** Whether feedback on a run keeps its trace for longer, which costs. Default `false`. */
  extendTraceRetention?: boolean;
}

/**
 * Feedback in LangSmith, under a UUID made from the response's id; what is there already counts as delivered. A run that
 * did not come within a day leaves its rating to the thread.
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
    if (saysNothing(score)) return nothingToSend;
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
      accepts: (reply) => isJsonObject(reply) && typeof reply["id"] === "string",
      notFound,
    });
  }

  return defineSink({
    name: "langsmith",
    deliver: eachScore(deliverOne),
    examine: projectId
      ? examineBy(send, [projectOf(projectId)], "the key is accepted and the project exists")
      : examineBy(send, [{ path: "/sessions?limit=1", accepts: Array.isArray }], "the key is accepted"),
    eraseScores: eachErasure(async ({ id }: ErasableScore, signal) =>
      erasureOutcome(await send({ method: "DELETE", path: `/feedback/${nameUuid(id)}` }, signal)),
    ),
  });
}

const projectOf = (projectId: string): Probe => ({
  path: `/sessions/${encodeURIComponent(projectId)}`,
  accepts: (reply) => isJsonObject(reply) && typeof reply["id"] === "string",
  missing: `no project has the id ${projectId}`,
});

const runOrThreadOf =
  (projectId: string): ResolveTarget<LangsmithTarget> =>
  ({ sessionId, observationId }) => {
    if (observationId !== null && isUuid(observationId)) return { runId: observationId, projectId };
    const spanId = readRunReference(observationId)?.spanId;
    if (spanId !== undefined) return { runId: runOfSpan(spanId), projectId };
    return sessionId === null ? "never" : { threadId: sessionId, projectId };
  };

/** As LangSmith names the runs that it makes of OpenTelemetry's spans. Their traces have the ids of their root runs. */
const runOfSpan = (spanId: string) => `00000000-0000-0000-${spanId.slice(0, 4)}-${spanId.slice(4)}`;

/** A run that is not there is named in the answer. */
const saysMissing = (answer: SinkAnswer) =>
  answer.kind === "answer" && isJsonObject(answer.body) && namesWhatIsMissing(answer.body);

/** What LangSmith calls a session is a tracing project. */
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

import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import { missingTarget, resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { eraseEach, httpSink, projectProbe, type SinkContext } from "./http-sink.ts";
import { isUuid, nameUuid } from "./name-uuid.ts";
import { numberOf, scoreMetadata } from "./score-metadata.ts";
import { type Secret, secretHeaders } from "../options/secret.ts";
import type { HttpSinkOptions, SinkReply } from "./sink-request.ts";
import { hasId, isJsonObject, namesWhatIsMissing } from "./status-outcome.ts";

/**
 * A run by its UUID, for example the root run of the session's last trace, or a thread, which is what LangSmith calls a
 * session, by the `session_id`, `thread_id` or `conversation_id` of its runs. `projectId`: UUID of the tracing project.
 */
export type LangsmithTarget = { projectId: string } & ({ runId: string } | { threadId: string });

/** What `langsmith` takes, beside the options of every HTTP sink. */
export interface LangsmithOptions extends HttpSinkOptions {
  /** API key of the LangSmith workspace. */
  apiKey: Secret;
  /** UUID of the tracing project; required unless `resolveTarget` is set. */
  projectId?: string | undefined;
  /**
   * Finds the run or thread of a score. Default: the run named by a UUID or by a run reference with a span, else the
   * thread with the session's id.
   */
  resolveTarget?: ResolveTarget<LangsmithTarget> | undefined;
  /** Default `https://api.smith.langchain.com`. */
  baseUrl?: string | undefined;
  /** Whether feedback extends the retention of the traces that it is about, at a cost. Default `false`. */
  extendTraceRetention?: boolean | undefined;
}

/**
 * Sends feedback to LangSmith with a UUID derived from the response's id; feedback that exists already counts as
 * delivered. If a run is still missing after a day, its thread gets the score.
 */
export function langsmith(options: LangsmithOptions): Sink {
  const { apiKey, projectId, extendTraceRetention = false } = options;
  if (!projectId && typeof options.resolveTarget !== "function")
    throw new ConfigurationError("Sink langsmith needs projectId, or resolveTarget.");
  const resolveTarget = options.resolveTarget ?? runOrThreadOf(projectId!);

  async function deliverTo(
    target: LangsmithTarget,
    score: DeliverableScore,
    call: SinkContext,
  ): Promise<Outcome | SinkReply> {
    // Left out, it would be true, of a run and of a thread.
    const body = { ...feedbackOf(score, target), extend_trace_retention: extendTraceRetention };
    const reply = await call.send({ method: "POST", path: "/feedback", body });
    if (reply.status === 409 && isJsonObject(reply.body)) return { outcome: "delivered" };
    if (!saysMissing(reply)) return reply;
    const missing = missingTarget(score, `${reply.reason}: no such run`, call.now());
    if (missing.outcome === "permanent" && "runId" in target && score.sessionId !== null)
      return await deliverTo({ threadId: score.sessionId, projectId: target.projectId }, score, call);
    return missing;
  }

  return httpSink(options, {
    name: "langsmith",
    baseUrl: options.baseUrl ?? "https://api.smith.langchain.com",
    headers: secretHeaders(apiKey, "The API key of LangSmith", (key) => ({ "x-api-key": key })),
    async deliver(score, call) {
      const found = await resolvedTarget(resolveTarget, score, call);
      return "target" in found ? await deliverTo(found.target, score, call) : found;
    },
    accepts: hasId,
    probes: [
      projectId
        ? projectProbe("/sessions", projectId)
        : { path: "/sessions?limit=1", accepts: Array.isArray },
    ],
    examined: `the key is accepted${projectId ? " and the project exists" : ""}`,
    erase: eraseEach(({ id }, { send }) => send({ method: "DELETE", path: `/feedback/${nameUuid(id)}` })),
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

/** LangSmith's reply names the missing run. */
const saysMissing = ({ status, body }: SinkReply) =>
  status === 404 && isJsonObject(body) && namesWhatIsMissing(body);

/** LangSmith calls a tracing project a session. */
const feedbackOf = (score: DeliverableScore, target: LangsmithTarget) => ({
  id: nameUuid(score.id),
  ...("runId" in target ? { run_id: target.runId } : { feedback_thread_id: target.threadId }),
  session_id: target.projectId,
  key: score.name,
  score: numberOf(score) ?? undefined,
  value: score.label ?? undefined,
  comment: score.text ?? undefined,
  feedback_source: { type: "api", metadata: scoreMetadata(score) },
});

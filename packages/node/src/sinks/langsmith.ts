import {
  type DeliverableScore,
  defineSink,
  type ErasableScore,
  type Outcome,
  type Sink,
} from "../delivery/sink.ts";
import { missingTarget, resolvedTarget, type ResolveTarget } from "../delivery/target.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { eachErasure, eachScore } from "./each-score.ts";
import { erasureOutcome } from "./erasure-outcome.ts";
import { nameUuid } from "./name-uuid.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { type Secret, secretHeaders } from "./secret.ts";
import { type HttpSinkOptions, type SinkAnswer, sinkRequests } from "./sink-request.ts";
import {
  isJsonObject,
  namesWhatIsMissing,
  nothingToSend,
  saysNothing,
  statusOutcome,
} from "./status-outcome.ts";

export interface LangsmithTarget {
  /** UUID of the run that is rated, for example the root run of the session's last trace. */
  runId: string;
  /** UUID of the run's tracing project. */
  projectId: string;
}

export interface LangsmithOptions extends HttpSinkOptions {
  apiKey: Secret;
  /** Finds the run of a score: LangSmith has feedback on runs alone. */
  resolveTarget: ResolveTarget<LangsmithTarget>;
  /** Default `https://api.smith.langchain.com`. */
  baseUrl?: string;
  /** Whether feedback keeps its trace for longer, which costs. Default `false`. */
  extendTraceRetention?: boolean;
}

/** Feedback in LangSmith, under a UUID made from the response's id; what is there already counts as delivered. */
export function langsmith(options: LangsmithOptions): Sink {
  const { apiKey, resolveTarget, extendTraceRetention = false, clock = Date.now } = options;
  if (typeof resolveTarget !== "function")
    throw new ConfigurationError("Sink langsmith needs resolveTarget: it rates runs, not sessions.");
  const headers = secretHeaders(apiKey, "The API key of LangSmith", (key) => ({ "x-api-key": key }));
  const send = sinkRequests(
    { name: "langsmith", baseUrl: options.baseUrl ?? "https://api.smith.langchain.com", headers },
    options,
  );

  async function deliverOne(score: DeliverableScore, signal: AbortSignal): Promise<Outcome> {
    if (saysNothing(score)) return nothingToSend;
    const found = await resolvedTarget(resolveTarget, score, { signal }, clock());
    if (!("target" in found)) return found;
    const body = { ...feedbackOf(score, found.target), extend_trace_retention: extendTraceRetention };
    const answer = await send({ method: "POST", path: "/feedback", body }, signal);
    if (answer.kind === "answer" && answer.status === 409 && isJsonObject(answer.body))
      return { outcome: "delivered" };
    return statusOutcome(answer, {
      accepts: (reply) => isJsonObject(reply) && typeof reply["id"] === "string",
      notFound: saysMissing(answer) ? missingTarget(score, answer.reason, clock()) : undefined,
    });
  }

  return defineSink({
    name: "langsmith",
    deliver: eachScore(deliverOne),
    eraseScores: eachErasure(async ({ id }: ErasableScore, signal) =>
      erasureOutcome(await send({ method: "DELETE", path: `/feedback/${nameUuid(id)}` }, signal)),
    ),
  });
}

/** A run that is not there is named in the answer. */
const saysMissing = (answer: SinkAnswer) =>
  answer.kind === "answer" && isJsonObject(answer.body) && namesWhatIsMissing(answer.body);

const feedbackOf = (score: DeliverableScore, { runId, projectId }: LangsmithTarget) => ({
  id: nameUuid(score.id),
  run_id: runId,
  session_id: projectId,
  key: score.name,
  score: score.rating ?? undefined,
  value: score.label ?? undefined,
  comment: score.text ?? undefined,
  feedback_source: {
    type: "api",
    metadata: { responseId: score.id, ...scoreMetadata(score) },
  },
});

import { hash } from "node:crypto";
import { type DeliverableScore, defineSink, type Outcome, type Sink } from "../scores/sink.ts";
import { missingTarget, resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { cannotErase, deliverEach } from "./each-score.ts";
import { type MlflowTarget, mlflowTargets } from "./mlflow-target.ts";
import { namedMetadata } from "./score-metadata.ts";
import { type Secret, secretHeaders } from "./secret.ts";
import { examineBy, type Probe } from "./sink-examination.ts";
import { type HttpSinkOptions, type SinkAnswer, sinkRequests } from "./sink-request.ts";
import { isJsonObject, statusOutcome } from "./status-outcome.ts";

export interface MlflowOptions extends HttpSinkOptions {
  /** Default `http://localhost:5000`. */
  baseUrl?: string;
  /** Sent as a Bearer token, or with `username` as the password of Basic authentication. */
  token?: Secret;
  username?: string;
  /** Experiments to search for the traces of a session. Default `["0"]`, MLflow's default experiment. */
  experimentIds?: readonly string[];
  /** Finds the trace of a score. Default: the trace that the observation id names, else the session's first trace. */
  resolveTarget?: ResolveTarget<MlflowTarget>;
}

/** A trace that was found before and has been deleted from MLflow. */
interface Gone {
  traceId: string;
  reason: string;
}

/**
 * Sends assessments to MLflow 3. A rating of a session goes to the session's first trace, as MLflow's own do. The
 * response's id is the assessment's id. MLflow answers a repeated id with an internal error; the sink then looks for the
 * assessment, on this trace or, if an earlier trace arrived late, on another one.
 */
export function mlflow(options: MlflowOptions = {}): Sink {
  const { baseUrl = "http://localhost:5000", token, username, clock = Date.now } = options;
  const { experimentIds = ["0"] } = options;
  const headers =
    token === undefined ? undefined : secretHeaders(token, "The token of MLflow", authorization(username));
  const send = sinkRequests({ name: "mlflow", baseUrl, headers }, options);
  const targets = mlflowTargets(send, experimentIds, clock);

  async function deliverOne(score: DeliverableScore, signal: AbortSignal, gone?: Gone): Promise<Outcome> {
    const found = await targetOf(score, signal, gone !== undefined);
    if (!("target" in found)) return found;
    const { target } = found;
    if (target.traceId === gone?.traceId) return missingTarget(score, gone.reason, clock());
    const body = { assessment: assessmentOf(score, target) };
    const answer = await send({ method: "POST", path: assessmentsOf(target), body }, signal);
    const code = errorCode(answer);
    if (code === "RESOURCE_DOES_NOT_EXIST") {
      const { reason } = answer;
      return gone === undefined
        ? await deliverOne(score, signal, { traceId: target.traceId, reason })
        : missingTarget(score, reason, clock());
    }
    const isKnown = code === "INTERNAL_ERROR" && (await isStored(score, target, signal));
    return isKnown ? { outcome: "delivered" } : statusOutcome(answer, { accepts: isAssessment });
  }

  async function targetOf(score: DeliverableScore, signal: AbortSignal, isGone: boolean) {
    const { resolveTarget } = options;
    return resolveTarget
      ? await resolvedTarget(resolveTarget, score, { signal }, clock())
      : await targets.find(score, signal, { isGone });
  }

  async function isStored(score: DeliverableScore, target: MlflowTarget, signal: AbortSignal) {
    const id = assessmentId(score.id);
    const answer = await send({ method: "GET", path: `${assessmentsOf(target)}/${id}` }, signal);
    if (answer.kind === "answer" && answer.status === 200 && isAssessment(answer.body)) return true;
    return target.sessionId !== undefined && (await targets.isInSession(target.sessionId, id, signal));
  }

  return defineSink({
    name: "mlflow",
    deliver: deliverEach((score, signal) => deliverOne(score, signal)),
    examine: examineBy(send, experimentIds.map(experimentOf), "it answers, and the experiments exist"),
    eraseScores: cannotErase(
      "MLflow deletes an assessment only by its trace, which an exported response does not name",
    ),
  });
}

const experimentOf = (id: string): Probe => ({
  path: `/api/2.0/mlflow/experiments/get?${new URLSearchParams({ experiment_id: id })}`,
  accepts: (reply) => isJsonObject(reply) && isJsonObject(reply["experiment"]),
  missing: `no experiment has the id ${id}`,
});

const authorization = (username: string | undefined) => (token: string) => {
  if (username === undefined) return { authorization: `Bearer ${token}` };
  return { authorization: `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}` };
};

const assessmentsOf = ({ traceId }: MlflowTarget) =>
  `/api/3.0/mlflow/traces/${encodeURIComponent(traceId)}/assessments`;

const isAssessment = (body: unknown) =>
  typeof (body as { assessment?: { assessment_id?: unknown } } | null)?.assessment?.assessment_id ===
  "string";

const errorCode = (answer: SinkAnswer) =>
  answer.kind === "answer" && answer.status >= 400
    ? (answer.body as { error_code?: unknown } | null)?.error_code
    : undefined;

/** MLflow's ids have up to 50 characters; a longer one is replaced by its hash, the same at each attempt. */
const assessmentId = (id: string) =>
  /^[\w-]{1,50}$/.test(id) ? id : `afterword-${hash("sha256", id, "hex").slice(0, 40)}`;

/** Names have no dots, which MLflow's filters use as separators. Metadata values are strings. */
const assessmentOf = (score: DeliverableScore, { traceId, spanId, sessionId }: MlflowTarget) => ({
  assessment_id: assessmentId(score.id),
  assessment_name: score.name.replaceAll(".", "_"),
  trace_id: traceId,
  span_id: spanId,
  source: { source_type: "HUMAN", source_id: "afterword" },
  feedback: { value: score.rating ?? score.text },
  rationale: score.text ?? undefined,
  create_time: score.at,
  metadata: {
    "mlflow.trace.session": sessionId,
    ...Object.fromEntries(namedMetadata(score, metadataNames).map(([name, value]) => [name, String(value)])),
  },
});

const metadataNames = {
  responseId: "afterword.id",
  surveyId: "afterword.survey_id",
  surveyType: "afterword.survey_type",
  label: "afterword.label",
  normalised: "afterword.normalised",
  taskType: "afterword.task_type",
  sessionId: "afterword.session_id",
  observationId: "afterword.observation_id",
  at: "afterword.at",
};

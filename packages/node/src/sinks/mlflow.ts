import { hash } from "node:crypto";
import { member } from "../options/json.ts";
import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import { missingTarget, resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { httpSink, type Probe, type SinkCall } from "./http-sink.ts";
import { type MlflowTarget, mlflowTargets } from "./mlflow-target.ts";
import { namedMetadata } from "./score-metadata.ts";
import { bearer, type Secret, secretHeaders } from "./secret.ts";
import type { HttpSinkOptions, SinkReply } from "./sink-request.ts";
import { isJsonObject, statusOutcome } from "./status-outcome.ts";

export interface MlflowOptions extends HttpSinkOptions {
  /** Default `http://localhost:5000`. */
  baseUrl?: string | undefined;
  /** Sent as a Bearer token, or with `username` as the password of Basic authentication. */
  token?: Secret | undefined;
  /** User of Basic authentication. Without it the token is sent as a Bearer token. */
  username?: string | undefined;
  /** Experiments to search for the traces of a session. Default `["0"]`, MLflow's default experiment. */
  experimentIds?: readonly string[] | undefined;
  /** Finds the trace of a score. Default: the trace that the observation id names, else the session's first trace. */
  resolveTarget?: ResolveTarget<MlflowTarget> | undefined;
}

/** A trace that was found before and has been deleted from MLflow. */
interface Gone {
  traceId: string;
  reason: string;
}

/**
 * Sends assessments to MLflow 3. A score of a session goes to the session's first trace, as MLflow's own do. The
 * response's id is the assessment's id. MLflow answers a repeated id with an internal error; the sink then looks for the
 * assessment, on this trace or, if an earlier trace arrived late, on another one.
 */
export function mlflow(options: MlflowOptions = {}): Sink {
  const { baseUrl = "http://localhost:5000", token, username } = options;
  const { experimentIds = ["0"], resolveTarget } = options;
  const targets = mlflowTargets(experimentIds);

  async function deliver(score: DeliverableScore, call: SinkCall, gone?: Gone): Promise<Outcome> {
    const found = resolveTarget
      ? await resolvedTarget(resolveTarget, score, call)
      : await targets.find(score, call, { isGone: gone !== undefined });
    if (!("target" in found)) return found;
    const { target } = found;
    if (target.traceId === gone?.traceId) return missingTarget(score, gone.reason, call.now());
    const body = { assessment: assessmentOf(score, target) };
    const reply = await call.send({ method: "POST", path: assessmentsOf(target), body });
    const code = errorCode(reply);
    if (code === "RESOURCE_DOES_NOT_EXIST") {
      const { reason } = reply;
      return gone === undefined
        ? await deliver(score, call, { traceId: target.traceId, reason })
        : missingTarget(score, reason, call.now());
    }
    const isKnown = code === "INTERNAL_ERROR" && (await isStored(score, target, call));
    return isKnown ? { outcome: "delivered" } : statusOutcome(reply, { accepts: isAssessment });
  }

  async function isStored(score: DeliverableScore, target: MlflowTarget, { send }: SinkCall) {
    const id = assessmentId(score.id);
    const reply = await send({ method: "GET", path: `${assessmentsOf(target)}/${id}` });
    if (reply.kind === "reply" && reply.status === 200 && isAssessment(reply.body)) return true;
    return target.sessionId !== undefined && (await targets.isInSession(target.sessionId, id, send));
  }

  return httpSink(options, {
    name: "mlflow",
    baseUrl,
    headers:
      token === undefined ? undefined : secretHeaders(token, "The token of MLflow", authorization(username)),
    deliver,
    probes: experimentIds.map(experimentOf),
    examined: "it answers, and the experiments exist",
    erase: "MLflow deletes an assessment only by its trace, which an exported response does not name",
  });
}

const experimentOf = (id: string): Probe => ({
  path: `/api/2.0/mlflow/experiments/get?${new URLSearchParams({ experiment_id: id })}`,
  accepts: (body) => isJsonObject(body) && isJsonObject(body["experiment"]),
  missing: `no experiment has the id ${id}`,
});

const authorization = (username: string | undefined) => (token: string) => {
  if (username === undefined) return bearer(token);
  return { authorization: `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}` };
};

const assessmentsOf = ({ traceId }: MlflowTarget) =>
  `/api/3.0/mlflow/traces/${encodeURIComponent(traceId)}/assessments`;

const isAssessment = (body: unknown) => typeof member(body, "assessment", "assessment_id") === "string";

const errorCode = (reply: SinkReply) =>
  reply.kind === "reply" && reply.status >= 400 ? member(reply.body, "error_code") : undefined;

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
  run: "afterword.run.",
};

import { hash } from "node:crypto";
import { member } from "../options/json.ts";
import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { missingTarget, resolvedTarget, type ResolveTarget, targetMemory } from "../scores/target.ts";
import { httpSink, type Probe, type SinkContext } from "./http-sink.ts";
import { namedMetadata } from "./score-metadata.ts";
import { basic, bearer, type Secret, secretHeaders } from "../options/secret.ts";
import type { HttpSinkOptions, SinkReply } from "./sink-request.ts";
import { isJsonObject, noTarget, statusOutcome } from "./status-outcome.ts";

/** The trace that is assessed, and the span of it if the assessment is about one. */
export interface MlflowTarget {
  /** For example `tr-0af7651916cd43dd8448eb211c80319c`. */
  traceId: string;
  spanId?: string;
  /** Set when the assessment is about the whole session, which MLflow stores with the session's first trace. */
  sessionId?: string;
}

/** What `mlflow` takes, beside the options of every HTTP sink. */
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

/**
 * Sends assessments to MLflow 3. A score of a session goes to the session's first trace, as MLflow's own do. The
 * response's id is the assessment's id. MLflow answers a repeated id with an internal error; the sink then looks for the
 * assessment, on this trace or, if an earlier trace arrived late, on another one.
 */
export function mlflow(options: MlflowOptions = {}): Sink {
  const { baseUrl = "http://localhost:5000", token, username } = options;
  const { experimentIds = ["0"], resolveTarget } = options;
  const traces = mlflowTraces(experimentIds);

  /** `gone`: a trace that was found before and has been deleted from MLflow. */
  async function deliver(
    score: DeliverableScore,
    call: SinkContext,
    gone?: { traceId: string; reason: string },
  ): Promise<Outcome | SinkReply> {
    const found = resolveTarget
      ? await resolvedTarget(resolveTarget, score, call)
      : await traces.targetOf(score, call);
    if (!("target" in found)) return found;
    const { target } = found;
    if (target.traceId === gone?.traceId) return missingTarget(score, gone.reason, call.now());
    const body = { assessment: assessmentOf(score, target) };
    const reply = await call.send({ method: "POST", path: assessmentsOf(target), body });
    const code = reply.status >= 400 ? member(reply.body, "error_code") : undefined;
    if (code === "RESOURCE_DOES_NOT_EXIST") {
      const { reason } = reply;
      if (gone !== undefined) return missingTarget(score, reason, call.now());
      traces.forget(score);
      return await deliver(score, call, { traceId: target.traceId, reason });
    }
    const isKnown = code === "INTERNAL_ERROR" && (await isStored(score, target, call));
    return isKnown ? { outcome: "delivered" } : reply;
  }

  async function isStored(score: DeliverableScore, target: MlflowTarget, { send }: SinkContext) {
    const id = assessmentId(score.id);
    const reply = await send({ method: "GET", path: `${assessmentsOf(target)}/${id}` });
    if (reply.status === 200 && isAssessment(reply.body)) return true;
    return target.sessionId !== undefined && (await traces.haveAssessment(target.sessionId, id, send));
  }

  return httpSink(options, {
    name: "mlflow",
    baseUrl,
    headers:
      token === undefined
        ? undefined
        : secretHeaders(token, "The token of MLflow", username === undefined ? bearer : basic(username)),
    deliver,
    accepts: isAssessment,
    probes: experimentIds.map(experimentOf),
    examined: "it answers, and the experiments exist",
    erase: "MLflow deletes an assessment only by its trace, which an exported response does not name",
  });
}

const experimentOf = (id: string): Probe => ({
  path: `/api/2.0/mlflow/experiments/get?${new URLSearchParams({ experiment_id: id })}`,
  accepts: (body) => isJsonObject(member(body, "experiment")),
  missing: `no experiment has the id ${id}`,
});

const assessmentsOf = ({ traceId }: MlflowTarget) =>
  `/api/3.0/mlflow/traces/${encodeURIComponent(traceId)}/assessments`;

const isAssessment = (body: unknown) => typeof member(body, "assessment", "assessment_id") === "string";

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
  feedback: { value: score.thumbs ? score.thumbs === "up" : (score.rating ?? score.text) },
  rationale: score.text ?? undefined,
  create_time: score.at,
  metadata: {
    "mlflow.trace.session": sessionId,
    ...Object.fromEntries(
      namedMetadata(score, { responseId: "afterword.id" }).map(([name, value]) => [name, String(value)]),
    ),
  },
});

interface TracePage {
  traces?: { trace_id?: unknown; assessments?: { assessment_id?: unknown }[] }[];
  next_page_token?: string;
}

/** MLflow omits empty lists. */
const isTracePage = (body: unknown): body is TracePage =>
  isJsonObject(body) && (Array.isArray(body["traces"]) || Object.keys(body).length === 0);

/** Finds the target of a score, and assessments, among the traces of a session. */
function mlflowTraces(experimentIds: readonly string[]) {
  const look = targetMemory<MlflowTarget>();
  const locations = experimentIds.map((id) => ({
    type: "MLFLOW_EXPERIMENT",
    mlflow_experiment: { experiment_id: id },
  }));

  /** Searches the traces of a session, the earliest first. */
  const search = (
    filter: string,
    send: SinkContext["send"],
    page: { max_results: number; page_token?: string | undefined },
  ) => {
    const body = { locations, filter, order_by: ["timestamp_ms ASC"], ...page };
    return send({ method: "POST", path: "/api/3.0/mlflow/traces/search", body, isLookUp: true });
  };

  async function firstTraceOf(sessionId: string, score: DeliverableScore, { send, now }: SinkContext) {
    const filter = sessionFilter(sessionId);
    const unsearchable = "mlflow: a session id with both kinds of quotes cannot be searched for";
    if (filter === null) return { outcome: "permanent", reason: unsearchable } as const;
    const reply = await search(filter, send, { max_results: 1 });
    const outcome = statusOutcome(reply, isTracePage);
    if (outcome.outcome !== "delivered") return outcome;
    const traceId = (reply.body as TracePage).traces?.[0]?.trace_id;
    if (typeof traceId === "string") return { target: { traceId, sessionId } };
    return missingTarget(score, `${reply.reason}: no trace of the session`, now());
  }

  return {
    /** The trace that a run reference or a `tr-…` id names, else the first of the session. */
    async targetOf(score: DeliverableScore, call: SinkContext): Promise<{ target: MlflowTarget } | Outcome> {
      const { sessionId, observationId } = score;
      if (observationId?.startsWith("tr-")) return { target: { traceId: observationId } };
      const run = readRunReference(observationId);
      // MLflow's id of an OpenTelemetry trace is `tr-` and the trace's id.
      if (run !== undefined) return { target: { traceId: `tr-${run.traceId}` } };
      if (sessionId === null) return noTarget;
      return await look(sessionId, () => firstTraceOf(sessionId, score, call));
    },

    /** The target is looked up again: the trace found before was deleted. */
    forget: ({ sessionId }: DeliverableScore) => look.forget(sessionId ?? ""),

    /** Whether any trace of the session has this assessment: an earlier trace may have arrived since. */
    async haveAssessment(sessionId: string, id: string, send: SinkContext["send"]): Promise<boolean> {
      const filter = sessionFilter(sessionId);
      if (filter === null) return false;
      let page_token: string | undefined;
      do {
        const { status, body } = await search(filter, send, { max_results: 100, page_token });
        if (status !== 200 || !isTracePage(body)) return false;
        const assessments = (body.traces ?? []).flatMap((trace) => trace.assessments ?? []);
        if (assessments.some(({ assessment_id }) => assessment_id === id)) return true;
        page_token = body.next_page_token;
      } while (page_token);
      return false;
    },
  };
}

/** MLflow's filters have no escapes: a value goes between quotes that it does not contain. */
function sessionFilter(sessionId: string): string | null {
  const quote = ['"', "'"].find((candidate) => !sessionId.includes(candidate));
  return quote === undefined ? null : `metadata.\`mlflow.trace.session\` = ${quote}${sessionId}${quote}`;
}

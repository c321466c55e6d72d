import type { DeliverableScore, Outcome } from "../scores/sink.ts";
import { missingTarget, targetMemory } from "../scores/target.ts";
import { readRunReference } from "../scores/run-reference.ts";
import type { SinkCall } from "./http-sink.ts";
import type { SinkReply } from "./sink-request.ts";
import { isJsonObject, noTarget, statusOutcome } from "./status-outcome.ts";

export interface MlflowTarget {
  /** For example `tr-0af7651916cd43dd8448eb211c80319c`. */
  traceId: string;
  spanId?: string;
  /** Set when the assessment is about the whole session, which MLflow stores with the session's first trace. */
  sessionId?: string;
}

type Found = { target: MlflowTarget } | Outcome;

interface TracePage {
  traces?: { trace_id?: unknown; assessments?: { assessment_id?: unknown }[] }[];
  next_page_token?: string;
}

/** Searches the traces of a session in some experiments, the earliest first. */
function traceSearch(experimentIds: readonly string[]) {
  const locations = experimentIds.map((id) => ({
    type: "MLFLOW_EXPERIMENT",
    mlflow_experiment: { experiment_id: id },
  }));
  return (filter: string, send: SinkCall["send"], page: object): Promise<SinkReply> => {
    const body = { locations, filter, order_by: ["timestamp_ms ASC"], ...page };
    return send({ method: "POST", path: "/api/3.0/mlflow/traces/search", body, isLookUp: true });
  };
}

/**
 * Finds the target of a score: the trace named by a run reference or a `tr-…` id, else the first trace of the session.
 * MLflow's id of an OpenTelemetry trace is `tr-` and the trace's id.
 */
export function mlflowTargets(experimentIds: readonly string[]) {
  const look = targetMemory<MlflowTarget>();
  const search = traceSearch(experimentIds);

  async function firstTraceOf(
    sessionId: string,
    score: DeliverableScore,
    { send, now }: SinkCall,
  ): Promise<Found> {
    const filter = sessionFilter(sessionId);
    if (filter === null)
      return {
        outcome: "permanent",
        reason: "mlflow: a session id with both kinds of quotes cannot be searched for",
      };
    const reply = await search(filter, send, { max_results: 1 });
    const outcome = statusOutcome(reply, { accepts: isTraceList });
    if (outcome.outcome !== "delivered" || reply.kind === "none") return outcome;
    const traceId = (reply.body as TracePage).traces?.[0]?.trace_id;
    if (typeof traceId !== "string")
      return missingTarget(score, `${reply.reason}: no trace of the session`, now());
    return { target: { traceId, sessionId } };
  }

  return {
    /** With `isGone` the target is looked up again: the trace found before was deleted. */
    async find(score: DeliverableScore, call: SinkCall, { isGone = false } = {}): Promise<Found> {
      const { sessionId, observationId } = score;
      if (observationId?.startsWith("tr-")) return { target: { traceId: observationId } };
      const run = readRunReference(observationId);
      if (run !== undefined) return { target: { traceId: `tr-${run.traceId}` } };
      if (sessionId === null) return noTarget;
      if (isGone) look.forget(sessionId);
      return await look(sessionId, () => firstTraceOf(sessionId, score, call));
    },

    /** Whether any trace of the session has this assessment: an earlier trace may have arrived since. */
    async isInSession(sessionId: string, assessmentId: string, send: SinkCall["send"]): Promise<boolean> {
      const filter = sessionFilter(sessionId);
      if (filter === null) return false;
      let page: TracePage = {};
      do {
        const more = page.next_page_token === undefined ? {} : { page_token: page.next_page_token };
        const reply = await search(filter, send, { max_results: 100, ...more });
        if (reply.kind === "none" || reply.status !== 200 || !isTraceList(reply.body)) return false;
        page = reply.body as TracePage;
        const assessments = (page.traces ?? []).flatMap((trace) => trace.assessments ?? []);
        if (assessments.some((one) => one.assessment_id === assessmentId)) return true;
      } while (page.next_page_token);
      return false;
    },
  };
}

/** MLflow omits empty lists. */
const isTraceList = (body: unknown) =>
  isJsonObject(body) && (Array.isArray(body["traces"]) || Object.keys(body).length === 0);

/** MLflow's filters have no escapes: a value goes between quotes that it does not contain. */
function sessionFilter(sessionId: string): string | null {
  const quote = ['"', "'"].find((candidate) => !sessionId.includes(candidate));
  return quote === undefined ? null : `metadata.\`mlflow.trace.session\` = ${quote}${sessionId}${quote}`;
}

import type { DeliverableScore, Outcome } from "../delivery/sink.ts";
import { missingTarget, targetMemory } from "../delivery/target.ts";
import type { SendToSink } from "./sink-request.ts";
import { isJsonObject, noTarget, statusOutcome } from "./status-outcome.ts";

export interface MlflowTarget {
  /** For example `tr-0af7651916cd43dd8448eb211c80319c`. */
  traceId: string;
  spanId?: string;
  /** Given when the assessment is one of the whole session, which MLflow stores with its first trace. */
  sessionId?: string;
}

type Found = { target: MlflowTarget } | Outcome;

/** Finds where a score belongs: the trace that the observation id names, or the first trace of the session. */
export function mlflowTargets(send: SendToSink, experimentIds: readonly string[], clock: () => number) {
  const look = targetMemory<MlflowTarget>();

  async function firstTraceOf(
    sessionId: string,
    score: DeliverableScore,
    signal: AbortSignal,
  ): Promise<Found> {
    const filter = sessionFilter(sessionId);
    if (filter === null)
      return {
        outcome: "permanent",
        reason: "mlflow: a session id with both kinds of quotes cannot be searched for",
      };
    const body = {
      locations: experimentIds.map((id) => ({
        type: "MLFLOW_EXPERIMENT",
        mlflow_experiment: { experiment_id: id },
      })),
      filter,
      order_by: ["timestamp_ms ASC"],
      max_results: 1,
    };
    const search = { method: "POST", path: "/api/3.0/mlflow/traces/search", body, isLookUp: true } as const;
    const answer = await send(search, signal);
    const outcome = statusOutcome(answer, { accepts: isTraceList });
    if (outcome.outcome !== "delivered" || answer.kind === "none") return outcome;
    const { traces } = answer.body as { traces?: { trace_id?: unknown }[] };
    const traceId = traces?.[0]?.trace_id;
    if (typeof traceId !== "string")
      return missingTarget(score, `${answer.reason}: no trace of the session`, clock());
    return { target: { traceId, sessionId } };
  }

  return async (score: DeliverableScore, signal: AbortSignal): Promise<Found> => {
    const { sessionId, observationId } = score;
    if (observationId?.startsWith("tr-")) return { target: { traceId: observationId } };
    if (sessionId === null) return noTarget;
    return await look(sessionId, () => firstTraceOf(sessionId, score, signal));
  };
}

/** MLflow leaves out a list that is empty. */
const isTraceList = (body: unknown) =>
  isJsonObject(body) && (Array.isArray(body["traces"]) || Object.keys(body).length === 0);

/** MLflow's filters know no escape: a value is put between the quotes that it does not hold. */
function sessionFilter(sessionId: string): string | null {
  const quote = ['"', "'"].find((candidate) => !sessionId.includes(candidate));
  return quote === undefined ? null : `metadata.\`mlflow.trace.session\` = ${quote}${sessionId}${quote}`;
}

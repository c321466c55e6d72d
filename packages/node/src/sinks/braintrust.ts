import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import { missingTarget, resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { readRunReference, type TracedRun } from "../scores/run-reference.ts";
import { member } from "../options/json.ts";
import { httpSink, projectProbe, type SinkContext } from "./http-sink.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { bearer, type Secret, secretHeaders } from "../options/secret.ts";
import type { HttpSinkOptions } from "./sink-request.ts";
import { statusOutcome } from "./status-outcome.ts";

/** The row that is rated, by its id in the project's logs. */
export type BraintrustTarget = { rowId: string };

/** What `braintrust` takes, beside the options of every HTTP sink. */
export interface BraintrustOptions extends HttpSinkOptions {
  /** API key of the Braintrust organisation. */
  apiKey: Secret;
  /** Id of the project whose logs are rated. */
  projectId: string;
  /**
   * Finds the row of a score: Braintrust accepts feedback only on rows, and creates a stray row for an unknown id.
   * Default: the row of a run reference's span or trace, found by a query; else the row with the observation's id. A score
   * without an observation waits.
   */
  resolveTarget?: ResolveTarget<BraintrustTarget> | undefined;
  /** Default `https://api.braintrust.dev`. */
  baseUrl?: string | undefined;
}

/**
 * Sends feedback on rows of a Braintrust project. Scores are between 0 and 1 and merged by name, so a score that is
 * delivered twice stays one score. The text goes into the metadata of the entry in the row's history: a comment would be
 * added again at each delivery.
 */
export function braintrust(options: BraintrustOptions): Sink {
  const { apiKey, projectId, resolveTarget, baseUrl = "https://api.braintrust.dev" } = options;
  if (typeof projectId !== "string" || projectId === "")
    throw new ConfigurationError("Sink braintrust needs a projectId.");
  async function rowOf(score: DeliverableScore, { send, now }: SinkContext) {
    const { observationId } = score;
    const run = readRunReference(observationId);
    if (run === undefined) return observationId === null ? noRow : { target: { rowId: observationId } };
    const query = { query: rowQuery(projectId, run), fmt: "json" };
    const reply = await send({ method: "POST", path: "/btql", body: query, isLookUp: true });
    const outcome = statusOutcome(reply, (body) => rowsIn(body) !== undefined);
    // A refused query says nothing about the score.
    if (outcome.outcome === "permanent") return { ...outcome, outcome: "retry" } as const;
    if (outcome.outcome !== "delivered") return outcome;
    const rowId = rowsIn(reply.body)?.[0]?.id;
    if (typeof rowId === "string") return { target: { rowId } };
    return missingTarget(score, `${reply.reason}: no row of the run`, now());
  }

  return httpSink(options, {
    name: "braintrust",
    baseUrl,
    headers: secretHeaders(apiKey, "The API key of Braintrust", bearer),
    async deliver(score, call) {
      if (score.rating === null)
        return { outcome: "permanent", reason: "braintrust: a score needs a rating" };
      if (score.normalised === null) return offScale(score);
      const found = resolveTarget
        ? await resolvedTarget(resolveTarget, score, call)
        : await rowOf(score, call);
      if (!("target" in found)) return found;
      const feedback = [feedbackOf(score, score.normalised, found.target)];
      const path = `/v1/project_logs/${encodeURIComponent(projectId)}/feedback`;
      return await call.send({ method: "POST", path, body: { feedback } });
    },
    accepts: (body) => member(body, "status") === "success",
    probes: [projectProbe("/v1/project", projectId)],
    examined: "the key is accepted and the project exists",
    erase: "Braintrust deletes feedback only with its row, which an exported response does not name",
  });
}

/** Braintrust gives the row of an OpenTelemetry span its own id, but keeps the ids of span and trace. */
function rowQuery(projectId: string, { traceId, spanId }: TracedRun): string {
  const span = spanId === undefined ? "is_root = true" : `span_id = '${spanId}'`;
  return `select: id | from: project_logs('${projectId}') spans | filter: root_span_id = '${traceId}' and ${span} | limit: 1`;
}

function rowsIn(reply: unknown): { id?: unknown }[] | undefined {
  const rows = member(reply, "data");
  return Array.isArray(rows) ? rows : undefined;
}

/** Retries: with a resolver the score can still be delivered. */
const noRow = {
  outcome: "retry",
  reason: "braintrust: the score names no row; mint with the row's id as observationId, or set resolveTarget",
} as const;

/** Retries: with the right survey type the score can still be delivered. */
const offScale = ({ surveyType }: DeliverableScore): Outcome => ({
  outcome: "retry",
  reason:
    surveyType === null
      ? "braintrust: scores are between 0 and 1, but the scale of this survey is unknown; list it in `surveys`"
      : `braintrust: the rating is not on the scale of ${surveyType}; is that the survey's type?`,
});

const feedbackOf = (score: DeliverableScore, normalised: number, { rowId }: BraintrustTarget) => ({
  id: rowId,
  scores: { [score.name]: normalised },
  // Metadata of the new entry in the row's history, not of the row.
  metadata: { rating: score.rating, text: score.text, ...scoreMetadata(score) },
  source: "external",
});

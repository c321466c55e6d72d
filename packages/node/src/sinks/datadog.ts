import type { DeliverableScore, Sink } from "../scores/sink.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { member } from "../options/json.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { httpSink } from "./http-sink.ts";
import { namedMetadata } from "./score-metadata.ts";
import { type Secret, secretHeaders } from "../options/secret.ts";
import type { HttpSinkOptions } from "./sink-request.ts";
import { noTarget } from "./status-outcome.ts";

/** What `datadog` takes, beside the options of every HTTP sink. */
export interface DatadogOptions extends HttpSinkOptions {
  /** API key of the Datadog organisation. */
  apiKey: Secret;
  /** Datadog's name (`ml_app`) of the application whose runs are rated. */
  mlApp: string;
  /** Default `datadoghq.com`. */
  site?: string | undefined;
  /** Full base URL instead of `site`, for example of a proxy. */
  baseUrl?: string | undefined;
}

/**
 * Sends end-user feedback to Datadog LLM Observability, on the session or on the span or trace that the observation id
 * names. Feedback has no id: a score that is delivered again after a crash is stored twice, with the same time and the
 * same `afterword_id` tag.
 */
export function datadog(options: DatadogOptions): Sink {
  const { apiKey, mlApp, site = "datadoghq.com", baseUrl = `https://api.${site}` } = options;
  if (typeof mlApp !== "string" || mlApp === "")
    throw new ConfigurationError("Sink datadog needs the name of the application, mlApp.");
  return httpSink(options, {
    name: "datadog",
    baseUrl,
    headers: secretHeaders(apiKey, "The API key of Datadog", (key) => ({ "dd-api-key": key })),
    async deliver(score, { send }) {
      const target = targetOf(score);
      if (target === null) return noTarget;
      const metric = { ...feedbackOf(score, mlApp), ...target, ...valueOf(score), submitter };
      const body = { data: { type: "evaluation_metric", attributes: { metrics: [metric] } } };
      return await send({ method: "POST", path: "/api/intake/llm-obs/v2/eval-metric", body });
    },
    accepts: isEvaluationMetric,
    probes: [{ path: "/api/v1/validate", accepts: (body) => member(body, "valid") === true }],
    examined: "the API key is accepted",
    erase: "Datadog has no route to delete feedback, which ends with its retention",
  });
}

/** Datadog requires one: the same for all scores, and never a person's id. */
const submitter = { id: "respondent", type: "user" };

/** Datadog answers 202 with the accepted metrics and an id of its own. */
const isEvaluationMetric = (reply: unknown) =>
  typeof member(reply, "data", "id") === "string" && member(reply, "data", "type") === "evaluation_metric";

/** Span ids are 64-bit decimals, as OpenTelemetry's are here, or 16 hexadecimal digits; trace ids are 32. */
function targetOf({ sessionId, observationId }: DeliverableScore) {
  const run = readRunReference(observationId);
  if (run !== undefined)
    return run.spanId ? { span_id: BigInt(`0x${run.spanId}`).toString() } : { trace_id: run.traceId };
  if (observationId !== null && /^(\d{1,20}|[0-9a-f]{16})$/i.test(observationId))
    return { span_id: observationId };
  return sessionId === null ? null : { session_id: sessionId };
}

function valueOf({ rating, text, thumbs }: DeliverableScore) {
  const reasoning = text ?? undefined;
  const assessment = thumbs === "up" ? "pass" : "fail";
  if (thumbs) return { metric_type: "categorical", categorical_value: thumbs, assessment, reasoning };
  if (rating !== null) return { metric_type: "score", score_value: rating, reasoning };
  return { metric_type: "text", text_value: text };
}

/** Labels consist of letters, digits and `_`. */
const feedbackOf = (score: DeliverableScore, mlApp: string) => ({
  event_kind: "feedback",
  ml_app: mlApp,
  label: score.name.replaceAll(/[^A-Za-z0-9_]/g, "_"),
  timestamp_ms: Date.parse(score.at),
  tags: [
    // As in the official client.
    ["ml_app", mlApp],
    ...namedMetadata(score, tagNames),
    ...(readRunReference(score.observationId)?.spanId ? [["source", "otel"]] : []),
  ].map(([name, value]) => `${name}:${value}`),
});

const tagNames = {
  prefix: "",
  run: "run_",
  responseId: "afterword_id",
  label: "rating_label",
  normalised: "rating_normalised",
  at: null,
};

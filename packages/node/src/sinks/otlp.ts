import { member } from "../options/json.ts";
import type { DeliverableScore, Sink } from "../scores/sink.ts";
import { resolvedTarget, type ResolveTarget } from "../scores/target.ts";
import { readRunReference, type TracedRun } from "../scores/run-reference.ts";
import { httpSink } from "./http-sink.ts";
import { namedMetadata, numberOf } from "./score-metadata.ts";
import type { HttpSinkOptions, SinkReply } from "./sink-request.ts";
import { isJsonObject, noTarget } from "./status-outcome.ts";

/** The span of an event: 32 hexadecimal digits of its trace, and 16 of its own. */
export type OtlpTarget = { traceId: string; spanId: string };

/** What `otlp` takes, beside the options of every HTTP sink. */
export interface OtlpOptions extends HttpSinkOptions {
  /** Base URL of the collector, without `/v1/logs`. Default `http://localhost:4318`. */
  baseUrl?: string | undefined;
  /** Extra headers of each request, such as a key. In the variable: `name=value`, separated by commas, values percent-encoded. */
  headers?: Readonly<Record<string, string>> | (() => Promise<Record<string, string>>) | undefined;
  /** `service.name` of the rated service. Default `afterword`. */
  serviceName?: string | undefined;
  /**
   * Finds the parent span of an event. Default: the trace or span of a run reference; any other observation id is sent as
   * `gen_ai.response.id`.
   */
  resolveTarget?: ResolveTarget<OtlpTarget> | undefined;
}

/**
 * Sends `gen_ai.evaluation.result` events as OpenTelemetry log records, by OTLP over HTTP in JSON. Records have no ids: a
 * score that is delivered again after a crash is stored twice, with the same `afterword.response.id`.
 */
export function otlp(options: OtlpOptions = {}): Sink {
  const { baseUrl = "http://localhost:4318", headers = {} } = options;
  const { serviceName = "afterword", resolveTarget } = options;
  return httpSink(options, {
    name: "otlp",
    baseUrl,
    headers: async () => (typeof headers === "function" ? await headers() : { ...headers }),
    async deliver(score, call) {
      if (score.sessionId === null && score.observationId === null) return noTarget;
      const found = resolveTarget
        ? await resolvedTarget(resolveTarget, score, call)
        : { target: readRunReference(score.observationId) };
      if (!("target" in found)) return found;
      const body = { resourceLogs: [resourceLogs(serviceName, recordOf(score, found.target, call.now()))] };
      const reply = await call.send({ method: "POST", path: "/v1/logs", body });
      // The request has one record, and OTLP forbids resending what a 200 rejects.
      return isRejected(reply)
        ? { outcome: "permanent", reason: `${reply.reason} and rejected the record` }
        : reply;
    },
    accepts: isExportReply,
    probes: [{ method: "POST", path: "/v1/logs", body: { resourceLogs: [] }, accepts: isExportReply }],
    examined: "it accepts log records",
    erase: "OTLP cannot delete; delete the scores in the service behind the collector",
  });
}

/** Some receivers answer JSON with an empty Protobuf message, which is an empty body. */
const isExportReply = (body: unknown) =>
  body === "" || (isJsonObject(body) && Object.keys(body).every((key) => key === "partialSuccess"));

const isRejected = (reply: SinkReply) =>
  Number(member(reply.body, "partialSuccess", "rejectedLogRecords") ?? 0) > 0;

const resourceLogs = (serviceName: string, logRecord: object) => ({
  resource: { attributes: attributes({ "service.name": serviceName }) },
  scopeLogs: [{ scope: { name: "afterword" }, logRecords: [logRecord] }],
});

const information = 9;
const eventName = "gen_ai.evaluation.result";

const recordOf = (score: DeliverableScore, run: TracedRun | undefined, nowInMs: number) => ({
  timeUnixNano: nanoseconds(Date.parse(score.at)),
  observedTimeUnixNano: nanoseconds(nowInMs),
  severityNumber: information,
  eventName,
  body: { stringValue: summaryOf(score) },
  ...run,
  attributes: attributes({
    // Collectors before 0.121 silently drop the event's name, but keep this.
    "event.name": eventName,
    "gen_ai.evaluation.name": score.name,
    "gen_ai.evaluation.score.value": numberOf(score),
    "gen_ai.evaluation.explanation": score.text,
    // The GenAI conventions ask for it where no span is known.
    "gen_ai.response.id": run === undefined ? score.observationId : null,
    ...Object.fromEntries(namedMetadata(score, attributeNames)),
  }),
});

/** Without a body Splunk's exporter drops a record, and Loki shows an empty line. Holds none of the person's words. */
function summaryOf({ surveyId, rating, label, thumbs, sessionId, observationId }: DeliverableScore): string {
  const value = rating === null ? "text without a rating" : `rating ${rating}${label ? ` (${label})` : ""}`;
  const rated = thumbs ? `thumbs ${thumbs}` : value;
  const run = [sessionId && `session ${sessionId}`, observationId && `observation ${observationId}`];
  return [`survey ${surveyId}`, rated, ...run].filter(Boolean).join(", ");
}

const attributeNames = {
  responseId: "afterword.response.id",
  surveyId: "afterword.survey.id",
  surveyType: "afterword.survey.type",
  label: "gen_ai.evaluation.score.label",
  normalised: "afterword.score.normalised",
  taskType: "afterword.task.type",
  sessionId: "gen_ai.conversation.id",
  observationId: "afterword.observation.id",
  at: null,
};

/** JSON-encoded OTLP writes 64-bit integers as decimal strings. */
const nanoseconds = (milliseconds: number) => (BigInt(milliseconds) * 1_000_000n).toString();

const attributes = (values: Record<string, string | number | boolean | null>) =>
  Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: anyValue(value) }]));

function anyValue(value: string | number | boolean) {
  if (typeof value === "boolean") return { boolValue: value };
  return typeof value === "number" ? { doubleValue: value } : { stringValue: value };
}

import { expect } from "vitest";
import { datadog } from "@afterword/node/forwarder";
import { Holdings, knownRun, schemaCheck, type SinkContract } from "../sink-contract.ts";

/**
 * After what submitFeedback of the official client, dd-trace 6.21.0, checks and sends, and after the reply that the
 * documentation shows and that the recorded exchanges of dd-trace-py have.
 */
const feedback = {
  type: "object",
  additionalProperties: false,
  required: ["event_kind", "label", "metric_type", "ml_app", "timestamp_ms", "submitter"],
  properties: {
    event_kind: { const: "feedback" },
    label: { type: "string", pattern: "^[A-Za-z0-9_]{1,200}$" },
    metric_type: { enum: ["score", "categorical", "text"] },
    categorical_value: { type: "string", minLength: 1 },
    assessment: { enum: ["pass", "fail"] },
    score_value: { type: "number" },
    text_value: { type: "string" },
    ml_app: { type: "string", minLength: 1 },
    timestamp_ms: { type: "integer", minimum: 1 },
    tags: { type: "array", items: { type: "string", pattern: "^[a-z_.]+:." } },
    submitter: {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string", minLength: 1 }, type: { type: "string" } },
    },
    reasoning: { type: "string" },
    span_id: { type: "string" },
    trace_id: { type: "string" },
    session_id: { type: "string" },
  },
  oneOf: [{ required: ["span_id"] }, { required: ["trace_id"] }, { required: ["session_id"] }],
};

const intake = schemaCheck({
  type: "object",
  required: ["data"],
  properties: {
    data: {
      type: "object",
      required: ["type", "attributes"],
      properties: {
        type: { const: "evaluation_metric" },
        attributes: {
          type: "object",
          required: ["metrics"],
          properties: { metrics: { type: "array", minItems: 1, items: feedback } },
        },
      },
    },
  },
});

const ofMetric = (metric: object) => ({ body: { data: { attributes: { metrics: [metric] } } } });

const ofThumb = (thumbs: string, assessment: string) =>
  ofMetric({ metric_type: "categorical", categorical_value: thumbs, assessment }).body;

export function datadogContract(): SinkContract {
  const holdings = new Holdings();
  return {
    makeSink: (baseUrl, options) => datadog({ baseUrl, apiKey: "dd-hush", mlApp: "shop-agent", ...options }),
    isDelivery: ({ path }) => path === "/api/intake/llm-obs/v2/eval-metric",
    isIdempotent: false,
    erases: false,
    examines: true,
    secret: "dd-hush",
    reference: {
      ofTrace: ofMetric({ trace_id: knownRun.traceId }),
      // Datadog has OpenTelemetry's ids in decimal.
      ofSpan: ofMetric({
        span_id: "13235353014750950193",
        tags: expect.arrayContaining(["source:otel"]),
      }),
    },
    human: '"type":"user"',
    thumbs: { up: ofThumb("up", "pass"), down: ofThumb("down", "fail") },
    held: (id) => holdings.count(id),
    play({ path, headers, body }) {
      if (headers["dd-api-key"] !== "dd-hush") return { status: 403, body: {} };
      if (path === "/api/v1/validate") return { status: 200, body: { valid: true } };
      const problem = intake(body);
      if (problem !== undefined) return { status: 400, body: { errors: [problem] } };
      const { metrics } = body.data.attributes as { metrics: { tags: string[] }[] };
      for (const { tags } of metrics)
        holdings.add(tags.find((tag) => tag.startsWith("afterword_id:"))!.slice("afterword_id:".length));
      const attributes = { metrics: metrics.map((metric) => ({ id: "BKrS9Vc9nU", ...metric })) };
      const id = "c7ca5837-c593-4973-aefc-fe9ccbca1e74";
      return { status: 202, body: { data: { id, type: "evaluation_metric", attributes } } };
    },
  };
}

/** The same behind a Datadog Agent, which knows the key: the official client leaves it to the Agent to hand on. */
export const asAgent =
  (play: SinkContract["play"]): SinkContract["play"] =>
  (request) => {
    const { path, headers } = request;
    if (path === "/info") return { status: 200, body: { endpoints: [proxy] } };
    if (!path.startsWith(proxy) || headers["x-datadog-evp-subdomain"] !== "api") return { status: 404 };
    return play({ ...request, path: path.slice(proxy.length - 1), headers: { "dd-api-key": "dd-hush" } });
  };

const proxy = "/evp_proxy/v2/";

import { mlflow } from "@afterword/node/forwarder";
import { Holdings, knownRun, schemaCheck, type SinkContract } from "../sink-contract.ts";

/** After what MLflow 3.17.2 takes and answers; the same rules run against the real server in test/sinks. */
const createAssessment = schemaCheck({
  type: "object",
  required: ["assessment"],
  properties: {
    assessment: {
      type: "object",
      additionalProperties: false,
      required: ["assessment_name", "trace_id", "source", "feedback"],
      properties: {
        assessment_id: { type: "string", minLength: 1, maxLength: 50 },
        assessment_name: { type: "string", minLength: 1 },
        trace_id: { type: "string" },
        span_id: { type: "string" },
        source: {
          type: "object",
          required: ["source_type"],
          properties: {
            source_type: { enum: ["HUMAN", "LLM_JUDGE", "CODE"] },
            source_id: { type: "string" },
          },
        },
        feedback: { type: "object", required: ["value"], properties: { value: {} } },
        rationale: { type: "string" },
        create_time: { type: "string" },
        metadata: { type: "object", additionalProperties: { type: "string" } },
      },
    },
  },
});

const traceId = `tr-${knownRun.traceId}`;
const assessments = `/api/3.0/mlflow/traces/${traceId}/assessments`;
const refusal = (status: number, code: string) => ({
  status,
  body: { error_code: code, message: "refused" },
});

export function mlflowContract(): SinkContract {
  const holdings = new Holdings();
  return {
    makeSink: (baseUrl, options) => mlflow({ baseUrl, token: "ml-hush", ...options }),
    isDelivery: ({ method, path }) => method === "POST" && path.endsWith("/assessments"),
    isIdempotent: true,
    erases: false,
    examines: true,
    secret: "ml-hush",
    reference: { ofTrace: { path: assessments }, ofSpan: { path: assessments } },
    human: '"source_type":"HUMAN"',
    thumbs: {
      up: { assessment: { feedback: { value: true } } },
      down: { assessment: { feedback: { value: false } } },
    },
    held: (id) => holdings.count(id),
    play({ method, path, query, headers, body }) {
      if (headers.authorization !== "Bearer ml-hush")
        return { status: 401, body: "You are not authenticated." };
      if (path === "/api/3.0/mlflow/traces/search") {
        const isKnown = body.filter === 'metadata.`mlflow.trace.session` = "session-1"';
        return { status: 200, body: isKnown ? { traces: [{ trace_id: traceId }] } : {} };
      }
      if (path === "/api/2.0/mlflow/experiments/get") {
        if (query.get("experiment_id") !== "0") return refusal(404, "RESOURCE_DOES_NOT_EXIST");
        return { status: 200, body: { experiment: { experiment_id: "0", name: "Default" } } };
      }
      if (method === "GET") {
        const id = path.slice(assessments.length + 1);
        if (!holdings.has(id)) return refusal(404, "RESOURCE_DOES_NOT_EXIST");
        return { status: 200, body: { assessment: { assessment_id: id } } };
      }
      if (path !== assessments) return refusal(404, "RESOURCE_DOES_NOT_EXIST");
      if (createAssessment(body) !== undefined) return refusal(400, "INVALID_PARAMETER_VALUE");
      const { assessment_id: id } = body.assessment;
      // The real server means a second row under one key by it.
      if (holdings.has(id)) return refusal(500, "INTERNAL_ERROR");
      holdings.put(id, body.assessment.metadata["afterword.id"]);
      return { status: 200, body: { assessment: { assessment_id: id } } };
    },
  };
}

import { langfuse } from "@afterword/node/forwarder";
import { Holdings, knownRun, schemaCheck, type SinkContract } from "../sink-contract.ts";

/**
 * After CreateScoreRequest of the official clients, @langfuse/core 5.11.1 and langfuse 5.0.4 for Python (which adds the
 * timestamp), and the server's rules on targets and names.
 */
const createScoreRequest = schemaCheck({
  type: "object",
  additionalProperties: false,
  required: ["name", "value"],
  properties: {
    id: { type: "string", minLength: 1 },
    traceId: { type: "string" },
    sessionId: { type: "string" },
    observationId: { type: "string" },
    name: { type: "string", minLength: 1 },
    value: { type: ["number", "string"] },
    comment: { type: "string" },
    metadata: { type: "object" },
    timestamp: { type: "string", pattern: "Z$" },
    environment: { type: "string", pattern: "^(?!langfuse)[a-z0-9_-]+$" },
    dataType: { enum: ["NUMERIC", "CATEGORICAL", "BOOLEAN", "TEXT"] },
  },
  oneOf: [{ required: ["traceId"] }, { required: ["sessionId"] }],
  dependentRequired: { observationId: ["traceId"] },
  anyOf: [
    { properties: { dataType: { enum: ["NUMERIC", "CATEGORICAL", "BOOLEAN"] } } },
    { properties: { value: { type: "string", minLength: 1 } } },
  ],
});

/** Counted as JavaScript does, not by characters. */
const isTooLong = ({ dataType, value }: { dataType?: string; value: string }) =>
  dataType === "TEXT" && value.length > 500;

export function langfuseContract(): SinkContract {
  const holdings = new Holdings();
  return {
    makeSink: (baseUrl, options) =>
      langfuse({ baseUrl, publicKey: "pk-lf-1", secretKey: "sk-lf-hush", ...options }),
    isDelivery: ({ method, path }) => method === "POST" && path === "/api/public/scores",
    isIdempotent: true,
    erases: true,
    examines: true,
    secret: "sk-lf-hush",
    reference: {
      ofTrace: { body: { traceId: knownRun.traceId } },
      ofSpan: { body: { traceId: knownRun.traceId, observationId: knownRun.spanId } },
    },
    thumbs: { up: { value: 1, dataType: "BOOLEAN" }, down: { value: 0, dataType: "BOOLEAN" } },
    held: (id) => holdings.count(id),
    play({ method, path, query, headers, body }) {
      if (headers.authorization !== `Basic ${btoa("pk-lf-1:sk-lf-hush")}`) return { status: 401, body: {} };
      if (path === "/api/public/projects")
        return { status: 200, body: { data: [{ id: "project-1", name: "shop" }] } };
      if (path === "/api/public/v2/observations") {
        const [{ value }] = JSON.parse(query.get("filter") ?? "[]") as [{ value: string }];
        return {
          status: 200,
          body: { data: value === "obs-1" ? [{ id: value, traceId: "trace-1" }] : [], meta: {} },
        };
      }
      if (method === "DELETE") return remove(holdings, path.slice("/api/public/scores/".length));
      const problem = createScoreRequest(body) ?? (isTooLong(body) ? "value is too long" : undefined);
      if (problem !== undefined)
        return { status: 400, body: { message: problem, error: "InvalidRequestError" } };
      // The day is the server's own; within one day it merges by name and id.
      holdings.put(`${body.name}/${body.id}`, body.id);
      return { status: 200, body: { id: body.id } };
    },
  };
}

function remove(holdings: Holdings, id: string) {
  if (holdings.count(id) === 0) return { status: 404, body: { error: "LangfuseNotFoundError" } };
  holdings.remove(`afterword.srv_csat/${id}`);
  return { status: 200, body: { message: "Score deletion queued" } };
}

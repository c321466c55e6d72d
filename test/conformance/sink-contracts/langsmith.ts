import { langsmith, type LangsmithOptions } from "@afterword/node/forwarder";
import { Holdings, knownRun as knownTrace, schemaCheck, type SinkContract } from "../sink-contract.ts";

const uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

/**
 * The fields of FeedbackCreateSchema in the service's OpenAPI document (langchain-ai/docs at 075c407), as createFeedback of
 * the official client, langsmith 0.12.0, fills them. The client has no method for threads, the document has their field. Stricter
 * where a default would cost: without `extend_trace_retention` LangSmith extends it.
 */
const feedbackCreate = schemaCheck({
  type: "object",
  additionalProperties: false,
  required: ["id", "key", "session_id", "feedback_source", "extend_trace_retention"],
  oneOf: [{ required: ["run_id"] }, { required: ["feedback_thread_id"] }],
  properties: {
    id: { type: "string", pattern: uuid },
    run_id: { type: "string", pattern: uuid },
    feedback_thread_id: { type: "string", minLength: 1 },
    session_id: { type: "string", pattern: uuid },
    key: { type: "string", minLength: 1 },
    score: { type: ["number", "boolean"] },
    value: {},
    comment: { type: "string" },
    feedback_source: {
      type: "object",
      required: ["type", "metadata"],
      properties: { type: { enum: ["api", "model", "app"] }, metadata: { type: "object" } },
    },
    extend_trace_retention: { type: "boolean" },
  },
});

export const knownRun = {
  runId: "0f0e0d0c-0b0a-4900-8807-060504030201",
  projectId: "1f0e0d0c-0b0a-4900-8807-060504030201",
};

/** LangSmith makes a run's id of a span's. */
const runOfSpan = `00000000-0000-0000-${knownTrace.spanId.slice(0, 4)}-${knownTrace.spanId.slice(4)}`;

export function langsmithContract(
  target: Partial<LangsmithOptions> = { resolveTarget: () => knownRun },
): SinkContract {
  const holdings = new Holdings();
  return {
    makeSink: (baseUrl, options) => langsmith({ baseUrl, apiKey: "ls-hush", ...target, ...options }),
    isDelivery: ({ method, path }) => method === "POST" && path === "/feedback",
    isIdempotent: true,
    erases: true,
    examines: true,
    secret: "ls-hush",
    reference: target.resolveTarget
      ? undefined
      : { ofTrace: { body: { feedback_thread_id: "session-1" } }, ofSpan: { body: { run_id: runOfSpan } } },
    thumbs: { up: { score: 1, value: "up" }, down: { score: 0, value: "down" } },
    held: (id) => holdings.count(id),
    play({ method, path, headers, body }) {
      if (headers["x-api-key"] !== "ls-hush") return { status: 401, body: { detail: "Invalid token" } };
      if (path === "/info") return { status: 200, body: { version: "0.12.0" } };
      if (path === "/sessions") return { status: 200, body: [{ id: knownRun.projectId }] };
      if (path === `/sessions/${knownRun.projectId}`)
        return { status: 200, body: { id: knownRun.projectId } };
      if (method === "DELETE") {
        const key = path.slice("/feedback/".length);
        if (!holdings.has(key)) return { status: 404, body: { detail: "Feedback not found" } };
        holdings.remove(key);
        return { status: 200, body: { message: "Deleted" } };
      }
      const problem = feedbackCreate(body);
      if (problem !== undefined) return { status: 422, body: { detail: problem } };
      if ("run_id" in body && ![knownRun.runId, runOfSpan].includes(body.run_id))
        return { status: 404, body: { detail: "Run not found" } };
      if (holdings.has(body.id)) return { status: 409, body: { detail: "Feedback already exists" } };
      holdings.put(body.id, body.feedback_source.metadata.responseId ?? body.id);
      return { status: 200, body: { id: body.id } };
    },
  };
}

import { opik } from "@afterword/node/forwarder";
import { Holdings, schemaCheck, type SinkContract } from "../sink-contract.ts";

/**
 * After FeedbackScoreBatchItem and FeedbackScoreBatchItemThread of the official client, opik 2.0.40. With all that it
 * brings it weighs over 100 MB, so that it is run against this fake among the real servers, in test/sinks.
 */
const batchOf = (target: "id" | "thread_id") =>
  schemaCheck({
    type: "object",
    additionalProperties: false,
    required: ["scores"],
    properties: {
      scores: {
        type: "array",
        minItems: 1,
        maxItems: 1000,
        items: {
          type: "object",
          additionalProperties: false,
          required: [target, "name", "value", "source"],
          properties: {
            [target]: { type: "string", minLength: 1 },
            project_name: { type: "string" },
            name: { type: "string", minLength: 1 },
            value: { type: "number" },
            category_name: { type: "string" },
            reason: { type: "string" },
            source: { enum: ["ui", "sdk", "online_scoring"] },
          },
        },
      },
    },
  });

const batches: Partial<Record<string, ReturnType<typeof schemaCheck>>> = {
  "/v1/private/traces/threads/feedback-scores": batchOf("thread_id"),
  "/v1/private/traces/feedback-scores": batchOf("id"),
  "/v1/private/spans/feedback-scores": batchOf("id"),
};

/** Opik makes UUIDs of its own of OpenTelemetry's ids and of the time of a trace's first span. */
const ofThread = { body: { scores: [{ thread_id: "session-1" }] } };

/** Opik has no field for an id: the suite tells its scores apart by their survey, which is in the name. */
export function opikContract(): SinkContract {
  const holdings = new Holdings();
  const key = (id: string) => `session-1/afterword.srv_csat.survey-of-${id}`;
  return {
    makeSink: (baseUrl, options) => {
      const sink = opik({ baseUrl, apiKey: "opik-hush", workspace: "team", projectName: "shop", ...options });
      return {
        ...sink,
        deliver: (scores, { signal }) =>
          sink.deliver(
            scores.map((score) => ({ ...score, surveyId: `survey-of-${score.id}` })),
            { signal },
          ),
      };
    },
    isDelivery: ({ method, path }) => method === "PUT" && path.endsWith("/feedback-scores"),
    isIdempotent: true,
    documents: ({ status, body }) => status === 204 && body === undefined,
    erases: false,
    examines: true,
    secret: "opik-hush",
    reference: { ofTrace: ofThread, ofSpan: ofThread },
    keepsMetadata: false,
    thumbs: {
      up: { scores: [{ value: 1, category_name: "up" }] },
      down: { scores: [{ value: 0, category_name: "down" }] },
    },
    held: (id) => holdings.count(key(id)),
    play({ path, headers, body }) {
      if (headers.authorization !== "opik-hush" || headers["comet-workspace"] !== "team")
        return { status: 401 };
      if (path === "/v1/private/projects/retrieve")
        return body.name === "shop" ? { status: 200, body: { id: "1", name: "shop" } } : { status: 404 };
      const batch = batches[path];
      if (batch === undefined) return { status: 404, body: { code: 404, message: "HTTP 404 Not Found" } };
      const problem = batch(body);
      if (problem !== undefined) return { status: 422, body: { errors: [problem] } };
      const [{ thread_id: thread, id = thread, name }] = body.scores;
      holdings.put(`${id}/${name}`, `${id}/${name}`);
      return { status: 204 };
    },
  };
}

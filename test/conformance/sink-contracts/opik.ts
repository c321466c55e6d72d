import { opik } from "@afterword/node/forwarder";
import { Holdings, schemaCheck, type SinkContract } from "../sink-contract.ts";

/** After FeedbackScoreBatchItemThread of the official client, opik 2.0.40. */
const batch = schemaCheck({
  type: "object",
  required: ["scores"],
  properties: {
    scores: {
      type: "array",
      minItems: 1,
      maxItems: 1000,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["thread_id", "name", "value", "source"],
        properties: {
          thread_id: { type: "string", minLength: 1 },
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

/** Opik has no field for an id: the suite tells its scores apart by their survey, which is in the name. */
export function opikContract(): SinkContract {
  const holdings = new Holdings();
  const key = (id: string) => `session-1/afterword.rating.survey-of-${id}`;
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
    readsBody: true,
    erases: false,
    secret: "opik-hush",
    held: (id) => holdings.count(key(id)),
    play({ path, headers, body }) {
      if (headers.authorization !== "opik-hush" || headers["comet-workspace"] !== "team")
        return { status: 401 };
      const problem = path === "/v1/private/traces/threads/feedback-scores" ? batch(body) : "no such route";
      if (problem !== undefined) return { status: 422, body: { errors: [problem] } };
      const [{ thread_id: thread, name }] = body.scores;
      holdings.put(`${thread}/${name}`, `${thread}/${name}`);
      return { status: 204 };
    },
  };
}

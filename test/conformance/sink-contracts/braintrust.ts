import { braintrust } from "@afterword/node/forwarder";
import { Holdings, knownRun, schemaCheck, type SinkContract } from "../sink-contract.ts";

/**
 * After FeedbackProjectLogsEventRequest of Braintrust's OpenAPI document. The client that is generated from it,
 * @braintrust/api, is run against this fake; the larger `braintrust` sends feedback among its rows of logs instead.
 */
const feedbackRequest = schemaCheck({
  type: "object",
  required: ["feedback"],
  properties: {
    feedback: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id"],
        properties: {
          id: { type: "string" },
          scores: {
            type: "object",
            additionalProperties: { type: ["number", "null"], minimum: 0, maximum: 1 },
          },
          expected: {},
          comment: { type: ["string", "null"] },
          metadata: { type: ["object", "null"] },
          source: { enum: ["app", "api", "external", null] },
          tags: { type: ["array", "null"], items: { type: "string" } },
        },
      },
    },
  },
});

export const projectId = "2f0e0d0c-0b0a-4900-8807-060504030201";

const ofRow = (id: string) => ({ body: { feedback: [{ id }] } });

/** Answers a query of Braintrust's language, of which the fake knows two sentences. */
function rowsOf(query: string) {
  const spans = `select: id | from: project_logs('${projectId}') spans`;
  const inTrace = `${spans} | filter: root_span_id = '${knownRun.traceId}'`;
  if (query === `${inTrace} and is_root = true | limit: 1`) return [{ id: "root-row" }];
  return query === `${inTrace} and span_id = '${knownRun.spanId}' | limit: 1` ? [{ id: "span-row" }] : [];
}

/** Scores are merged into the row by name; each row of the suite belongs to one response. */
export function braintrustContract(): SinkContract {
  const holdings = new Holdings();
  return {
    makeSink: (baseUrl, options) =>
      braintrust({
        baseUrl,
        apiKey: "bt-hush",
        projectId,
        resolveTarget: ({ id }) => ({ rowId: `row-of-${id}` }),
        ...options,
      }),
    isDelivery: ({ path }) => path.endsWith("/feedback"),
    isIdempotent: true,
    erases: false,
    examines: true,
    secret: "bt-hush",
    reference: { ofTrace: ofRow("root-row"), ofSpan: ofRow("span-row") },
    thumbs: {
      up: { feedback: [{ scores: { "afterword.srv_csat": 1 }, metadata: { label: "up" } }] },
      down: { feedback: [{ scores: { "afterword.srv_csat": 0 }, metadata: { label: "down" } }] },
    },
    held: (id) => holdings.count(`row-of-${id}`),
    play({ path, headers, body }) {
      if (headers.authorization !== "Bearer bt-hush") return { status: 401, body: "Unauthorized" };
      if (path === `/v1/project/${projectId}`) return { status: 200, body: { id: projectId, name: "shop" } };
      if (path === "/btql") return { status: 200, body: { data: rowsOf(body.query), schema: {} } };
      if (path !== `/v1/project_logs/${projectId}/feedback`) return { status: 404, body: "Not found" };
      const problem = feedbackRequest(body);
      if (problem !== undefined) return { status: 400, body: problem };
      const [{ id, scores }] = body.feedback;
      for (const name of Object.keys(scores)) holdings.put(`${id}/${name}`, id);
      return { status: 200, body: { status: "success" } };
    },
  };
}

import { phoenix } from "@afterword/node/forwarder";
import { Holdings, knownRun, openApiSchema, schemaCheck, type SinkContract } from "../sink-contract.ts";
import document from "./phoenix.openapi.json" with { type: "json" };

const annotations = {
  session: schemaCheck(openApiSchema(document, "AnnotateSessionsRequestBody")),
  span: schemaCheck(openApiSchema(document, "AnnotateSpansRequestBody")),
  trace: schemaCheck(openApiSchema(document, "AnnotateTracesRequestBody")),
};

/** What Phoenix has: everything else does not exist. */
export const knownTargets = {
  session: "session-1",
  span: knownRun.spanId,
  trace: knownRun.traceId,
};

export function phoenixContract(): SinkContract {
  const holdings = new Holdings();
  return {
    makeSink: (baseUrl, options) => phoenix({ baseUrl, apiKey: "phoenix-hush", ...options }),
    isDelivery: ({ method, path }) => method === "POST" && path.endsWith("_annotations"),
    isIdempotent: true,
    erases: true,
    examines: true,
    secret: "phoenix-hush",
    reference: {
      ofTrace: { path: "/v1/trace_annotations", body: { data: [{ trace_id: knownRun.traceId }] } },
      ofSpan: { path: "/v1/span_annotations", body: { data: [{ span_id: knownRun.spanId }] } },
    },
    human: '"annotator_kind":"HUMAN"',
    thumbs: {
      up: { data: [{ result: { score: 1, label: "up" } }] },
      down: { data: [{ result: { score: 0, label: "down" } }] },
    },
    held: (id) => holdings.count(id),
    play({ method, path, query, headers, body }) {
      if (headers.authorization !== "Bearer phoenix-hush") return { status: 401, body: "Invalid token" };
      // The official client asks for it before it annotates a session.
      if (path === "/arize_phoenix_version") return { status: 200, body: "20.26.1" };
      if (path === "/v1/projects")
        return { status: 200, body: { data: [{ id: "project-1" }], next_cursor: null } };
      const kind = /\/(session|span|trace)_annotations$/.exec(path)?.[1] as
        keyof typeof annotations | undefined;
      if (kind === undefined) return { status: 404, body: "Not Found" };
      if (method === "DELETE") {
        if (query.get("delete_all") !== "true") return { status: 422, body: "Delete is unbounded." };
        holdings.remove(`${kind}/${query.get("identifier")}`);
        return { status: 204 };
      }
      const problem = annotations[kind](body);
      if (problem !== undefined) return { status: 422, body: problem };
      const [annotation] = body.data;
      if (query.get("sync") !== "true") return { status: 200, body: { data: [] } };
      if (annotation[`${kind}_id`] !== knownTargets[kind])
        return { status: 404, body: `${kind}s with IDs ${annotation[`${kind}_id`]} do not exist.` };
      holdings.put(`${kind}/${annotation.identifier}`, annotation.identifier);
      return { status: 200, body: { data: [{ id: "U2Vzc2lvbjox" }] } };
    },
  };
}

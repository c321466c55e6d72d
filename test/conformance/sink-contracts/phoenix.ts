import { phoenix } from "@afterword/node/forwarder";
import { Holdings, openApiSchema, schemaCheck, type SinkContract } from "../sink-contract.ts";
import document from "./phoenix.openapi.json" with { type: "json" };

const annotateSessions = schemaCheck(openApiSchema(document, "AnnotateSessionsRequestBody"));

export function phoenixContract(): SinkContract {
  const holdings = new Holdings();
  return {
    makeSink: (baseUrl, options) => phoenix({ baseUrl, apiKey: "phoenix-hush", ...options }),
    isDelivery: ({ method, path }) => method === "POST" && path.endsWith("_annotations"),
    isIdempotent: true,
    readsBody: true,
    erases: true,
    secret: "phoenix-hush",
    held: (id) => holdings.count(id),
    play({ method, path, query, headers, body }) {
      if (headers.authorization !== "Bearer phoenix-hush") return { status: 401, body: "Invalid token" };
      if (path === "/v1/projects")
        return { status: 200, body: { data: [{ id: "project-1" }], next_cursor: null } };
      if (method === "DELETE") {
        if (query.get("delete_all") !== "true") return { status: 422, body: "Delete is unbounded." };
        if (path.endsWith("/session_annotations")) holdings.remove(`session-1/${query.get("identifier")}`);
        return { status: 204 };
      }
      const problem = path === "/v1/session_annotations" ? annotateSessions(body) : "no such route";
      if (problem !== undefined) return { status: 422, body: problem };
      const [{ session_id: session, identifier }] = body.data;
      if (query.get("sync") !== "true") return { status: 200, body: { data: [] } };
      if (session !== "session-1") return { status: 404, body: `Sessions with IDs ${session} do not exist.` };
      holdings.put(`${session}/${identifier}`, identifier);
      return { status: 200, body: { data: [{ id: "U2Vzc2lvbjox" }] } };
    },
  };
}

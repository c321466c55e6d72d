import { Refusal } from "../domain/refusal.ts";
import { issueTokens } from "../domain/issue-tokens.ts";
import { JsonText, type Call, type Handler } from "../http/handlers.ts";

/** The respondent from query or body, which must agree; `null` counts as absent (decision D30). */
function respondentOf(inQuery: string | undefined, inBody: string | null | undefined): string | undefined {
  const claimed = inBody ?? undefined;
  if (inQuery !== undefined && claimed !== undefined && inQuery !== claimed) {
    throw new Refusal("invalid_body", {
      detail: "The query and the body contain different user ids.",
      errors: [{ pointer: "/userId", code: "differs_from_query" }],
    });
  }
  return claimed ?? inQuery;
}

async function reply({ service, project }: Call<"GET /v1/definitions">, respondentId: string | undefined) {
  const { tokens, suppression } = await issueTokens(service, project, { respondentId });
  const own = JSON.stringify({ suppression, showTokens: tokens });
  return new JsonText(`{"surveys":${project.activeSurveysJson},${own.slice(1)}`);
}

export const bootstrap: Handler<"POST /v1/sdk/bootstrap"> = (call) =>
  reply({ ...call, body: undefined }, respondentOf(call.query.userId, call.body.userId));

export const definitions: Handler<"GET /v1/definitions"> = (call) => reply(call, call.query.userId);

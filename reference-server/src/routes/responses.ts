import { submitResponse } from "../domain/spend-token.ts";
import { type Handler } from "../http/handlers.ts";

/** Also answers the alias: a token that was used on one path is used on the other (decision D63). */
export const responses: Handler<"POST /v1/sdk/responses"> = async ({ service, project, body, stored }) => {
  const reply = await submitResponse(service, project, body);
  stored("rating");
  return reply;
};

import { submitResponse } from "../domain/spend-token.ts";
import { type Handler } from "../http/handlers.ts";

/** Also serves the alias: a token used on one path is used on both (decision D63). */
export const responses: Handler<"POST /v1/sdk/responses"> = async ({ service, project, body, stored }) => {
  const reply = await submitResponse(service, project, body);
  stored("rating");
  return reply;
};

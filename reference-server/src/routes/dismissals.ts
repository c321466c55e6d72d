import { dismiss } from "../domain/spend-token.ts";
import { type Handler } from "../http/handlers.ts";

export const dismissals: Handler<"POST /v1/dismissals"> = async ({ service, project, body, stored }) => {
  const { reply, isRepeated } = await dismiss(service, project, body);
  if (!isRepeated) stored("dismissal");
  return reply;
};

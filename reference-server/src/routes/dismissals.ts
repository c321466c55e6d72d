import { dismiss } from "../domain/dismiss.ts";
import { type Handler } from "../handlers.ts";

export const dismissals: Handler<"POST /v1/dismissals"> = ({ service, project, body }) =>
  dismiss(service, project, body);

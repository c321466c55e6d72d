import { type Handlers } from "../http/handlers.ts";
import { bootstrap, definitions } from "./bootstrap.ts";
import { dismissals } from "./dismissals.ts";
import { acknowledge, pendingScores } from "./pending-scores.ts";
import { erase, exportResponses } from "./privacy.ts";
import { responses } from "./responses.ts";
import { tokens } from "./tokens.ts";

/** The handler of each endpoint. */
export const handlers: Handlers = {
  "POST /v1/sdk/bootstrap": bootstrap,
  "POST /v1/sdk/responses": responses,
  "POST /v1/dismissals": dismissals,
  "POST /v1/sdk/tokens": tokens,
  "GET /v1/sdk/pending-scores": pendingScores,
  "POST /v1/sdk/pending-scores/ack": acknowledge,
  "GET /v1/privacy/export": exportResponses,
  "DELETE /v1/privacy/erase": erase,
  "GET /v1/definitions": definitions,
  "POST /v1/responses": (call) => responses(call),
};

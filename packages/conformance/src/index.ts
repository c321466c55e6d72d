export { type Clause, type Extension, extensions } from "./clauses/clause.ts";
export { endpoints, type KnownEndpoint } from "./clauses/endpoints.ts";
export { serverClauses } from "./clauses/server-clauses.ts";
export { type ClauseResult, type Outcome, runClauses, type RunOptions } from "./run-clauses.ts";
export { ApiClient, type Call, type ProjectKeys, type Reply } from "./service/api-client.ts";
export { exchange, type Exchange, type HttpReply, type HttpRequest } from "./service/exchange.ts";
export { Service, type ServiceOptions } from "./service/service.ts";
export { setup } from "./service/setup.ts";

export { createApp, type AppOptions, type Application } from "./app.ts";
export { type Duration } from "@afterword/protocol";
export {
  type AskAgainConfig,
  type GatingConfig,
  type LimitConfig,
  type ProjectConfig,
  type RateLimitsConfig,
  type ServerConfig,
  type SurveyConfig,
} from "./config/server-config.ts";
export { type Clock } from "./domain/clock.ts";
export { type SeedResponse } from "./administration/seed-responses.ts";
export { type Erasure, type ExportAccess, type Hooks, type Requester } from "./domain/hooks.ts";
export { type ServerEvent, type ServerEvents } from "./events.ts";
export { type StartedProject } from "./open-service.ts";
export { mswHandlers, type MswHttp } from "./msw.ts";
export { type ConfigMistake, InvalidConfig, parseConfig } from "./config/parse-config.ts";
export { type Permit } from "./http/request-context.ts";
export { type ConnectionTimeouts } from "./program/serve.ts";
export { startServer, type RunningServer, type StartOptions } from "./start.ts";
export { openStore } from "./store/open-store.ts";
export { type SchemaChange, StoreUnavailable } from "./store/store-errors.ts";
export { type Store } from "./store/store.ts";

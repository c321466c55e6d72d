// All that `@afterword/reference-server` has, and with PostgreSQL and what an operator needs.
export {
  type AppOptions,
  type Application,
  type AskAgainConfig,
  type AuditTrail,
  type Clock,
  type ConfigMistake,
  type ConnectionTimeouts,
  createApp,
  type Duration,
  type GatingConfig,
  InvalidConfig,
  type LimitConfig,
  mswHandlers,
  type MswHttp,
  parseConfig,
  type ProjectConfig,
  type RateLimitsConfig,
  type SeedResponse,
  type ServerConfig,
  type ServerEvent,
  type ServerEvents,
  type StartedProject,
  type Store,
  type SurveyConfig,
} from "@afterword/reference-server/internal";
export { type RetentionPolicy } from "./administration/retention.ts";
export { openStore } from "./postgres/open-store.ts";
export { type AdminAddress, type RunningServer, type StartOptions } from "./program/start-options.ts";
export { startServer } from "./program/start-server.ts";

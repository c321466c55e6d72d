import { type SchemaChange, type Store } from "@afterword/reference-server";
import { openStore as openOperatedStore } from "./postgres/open-store.ts";

// All that `@afterword/reference-server` has, and with PostgreSQL and what an operator needs.
export {
  type AskAgainConfig,
  type Clock,
  type Application,
  type ConfigMistake,
  type ConnectionTimeouts,
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
  type Erasure,
  type ExportAccess,
  type Hooks,
  type Requester,
  type SchemaChange,
  type StartedProject,
  type Store,
  StoreUnavailable,
  type SurveyConfig,
} from "@afterword/reference-server";
export { Load, type LoadLimits } from "./health/load.ts";
export { type AppOptions, createApp } from "./program/create-app.ts";
export { type AuditTrail, type ServerEvent, type ServerEvents } from "./audit/audit-trail.ts";
export { type RetentionPolicy } from "./administration/retention.ts";
export { type AdminAddress, type RunningServer, type StartOptions } from "./program/start-options.ts";
export { startServer } from "./program/start-server.ts";

/**
 * Opens the database that a text names: the path of a SQLite file, `:memory:`, or `postgres://…`.
 *
 * @param change what may be done to its schema; by default an older one is lifted to the newest
 * @throws UnusableDatabase with what to do about it, StoreUnavailable, or Error on an older Node
 */
export const openStore: (database: string, change?: SchemaChange) => Promise<Store> = openOperatedStore;

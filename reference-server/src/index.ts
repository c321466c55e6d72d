import { openStore as openAnyStore, startServer as startOperatedServer } from "@afterword/server";
import { type RunningServer, type StartOptions } from "./program/start-options.ts";
import { type SchemaChange } from "./store/schema-mismatch.ts";
import { type Store } from "./store/store.ts";

export { createApp, type AppOptions, type Application } from "./program/create-app.ts";
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
export { type AuditTrail } from "./audit/audit-trail.ts";
export { type ServerEvent, type ServerEvents } from "./log/events.ts";
export { InvalidConfig, type ConfigMistake } from "./config/invalid-config.ts";
export { type StartedProject } from "./program/open-service.ts";
export {
  type AdminAddress,
  type RetentionPolicy,
  type RunningServer,
  type StartOptions,
} from "./program/start-options.ts";
export { mswHandlers, type MswHttp } from "./program/msw-handlers.ts";
export { parseConfig } from "./config/parse-config.ts";
export { type ConnectionTimeouts } from "./program/listen.ts";
export { type Store } from "./store/store.ts";

/** Starts a complete server. @throws InvalidConfig with all mistakes, CannotListen for a port in use, UnusableDatabase or UsageError */
export function startServer(options: StartOptions = {}): Promise<RunningServer> {
  return startOperatedServer(options);
}

/**
 * Opens the database that a text names: the path of a SQLite file, `:memory:`, or `postgres://…`.
 *
 * @param change what may be done to its schema; by default an older one is lifted to the newest
 * @param nodeVersion on an older Node than the supported ones, SQLite's driver ends the process without a message
 * @throws UnusableDatabase with what to do about it, StoreUnavailable, or Error on an older Node
 */
export function openStore(
  database: string,
  change: SchemaChange = "migrate",
  nodeVersion = process.version,
): Promise<Store> {
  return openAnyStore(database, change, nodeVersion);
}

export { createApp, type AppOptions, type Application } from "./app.ts";
export {
  type Duration,
  type GatingConfig,
  type LimitConfig,
  type ProjectConfig,
  type RateLimitsConfig,
  type ServerConfig,
  type SurveyConfig,
} from "./config.ts";
export { type Clock } from "./domain/clock.ts";
export { type ServerEvent, type ServerEvents } from "./events.ts";
export { type RetentionPolicy } from "./domain/retention.ts";
export { InvalidConfig, type ConfigMistake } from "./invalid-config.ts";
export { type StartedProject } from "./open-service.ts";
export { type AdminAddress } from "./operations/admin-listener.ts";
export { mswHandlers, type MswHttp } from "./msw-handlers.ts";
export { parseConfig } from "./parse-config.ts";
export { type ConnectionTimeouts } from "./listen.ts";
export { startServer, type RunningServer, type StartOptions } from "./serve.ts";
export { openStore } from "./store/open-store.ts";
export { type Store } from "./store/store.ts";

// For the packages that leave this one; it goes with the last of them.
export { configChange } from "./administration/apply-config.ts";
export { masterKeyPlace } from "./administration/master-key-place.ts";
export { trailWithEvents } from "./audit/audit-trail.ts";
export { desiredProjects } from "./config/desired-projects.ts";
export { InvalidConfig } from "./config/invalid-config.ts";
export { parseConfig } from "./config/parse-config.ts";
export { type ProjectConfig, type ServerConfig, type SurveyConfig } from "./config/server-config.ts";
export { generateKey } from "./domain/api-key.ts";
export { systemClock, type Clock } from "./domain/clock.ts";
export { timestamp } from "./domain/ids-and-times.ts";
export { MasterKeys } from "./domain/master-keys.ts";
export { isLoopbackHost, isLoopbackOrigin } from "./domain/origins.ts";
export { type Project } from "./domain/project-directory.ts";
export { randomSecrets } from "./domain/project-secrets.ts";
export { type Service } from "./domain/service.ts";
export { UsageError } from "./domain/usage-error.ts";
export { Load } from "./limits/load.ts";
export { allOf, type ServerEvents } from "./log/events.ts";
export { startBackground } from "./program/background.ts";
export { createApp } from "./program/create-app.ts";
export { listen, type Listening, type RequestListener } from "./program/listen.ts";
export { rejectedByAdapter } from "./program/rejections.ts";
export { stopServer } from "./program/stop-server.ts";
export { databasePlace, holdForServing, openStore } from "./store/open-store.ts";
export { type SurveyRecord } from "./store/project.ts";
export {
  dayOf,
  firstMonday,
  hourOf,
  importedMark,
  ofPage,
  runMark,
  weekInMs,
  type AnswerRow,
  type Comment,
  type Dimension,
  type DismissalTally,
  type Key,
  type MeasuredAnswer,
  type QueueReport,
  type ResultsReader,
  type ResultsSelection,
  type RunCountKind,
  type RunCountTally,
} from "./store/store.ts";

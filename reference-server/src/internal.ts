// Entry point for @afterword/server, results and dev only; it may change at any time.
export type * from "./index.ts";
export type * from "./administration/master-key-place.ts";
export type * from "./store/shared-rows.ts";
export type * from "./store/store.ts";
export { configChange, type ConfigChange, type DesiredProject } from "./administration/apply-config.ts";
export { givenMasterKeys, masterKeyPlace } from "./administration/master-key-place.ts";
export { findProject, findSurvey } from "./administration/seed-responses.ts";
export { desiredProjects } from "./config/desired-projects.ts";
export { configFor, InvalidConfig, parseConfig } from "./config/parse-config.ts";
export { createdKey, generateKey, type CreatedKey } from "./domain/api-key.ts";
export { monotonicNow, systemClock } from "./domain/clock.ts";
export { eraseResponses, secretsAfterPurge } from "./domain/erase-responses.ts";
export { exportRowText, openExport } from "./domain/export-responses.ts";
export { monthInMs } from "./domain/gating.ts";
export { idBoundary, newRecordId, recordIdOf, timestamp } from "./domain/ids-and-times.ts";
export { issueTokens } from "./domain/issue-tokens.ts";
export { MasterKey, MasterKeys, pickUpInMs } from "./domain/master-keys.ts";
export { isLoopbackHost, isLoopbackOrigin, isOriginPattern } from "./domain/origins.ts";
export { isUsableKey, type Project } from "./domain/project-directory.ts";
export { RunCounts } from "./domain/run-counts.ts";
export { Refusal, retryAfterInSeconds } from "./domain/refusal.ts";
export { importedRespondentId, keyedHash, respondentHash } from "./domain/respondent-hash.ts";
export { selectionOf } from "./domain/selection.ts";
export { type Service } from "./domain/service.ts";
export { leewayInMs, livingRunsInMs, longestLifetimeInMs, toleratedJumpInMs } from "./domain/show-token.ts";
export { UsageError } from "./domain/usage-error.ts";
export { networkOf, rawPath, type NodeBindings } from "./http/request-context.ts";
export { RateLimiter, type Policy } from "./limits/rate-limit.ts";
export { allOf, type RequestEvent, type ShedReason } from "./events.ts";
export { cleanUpTokens, startBackground, type Background, type Task } from "./background.ts";
export { createApp } from "./app.ts";
export { applyConfig, openService } from "./open-service.ts";
export { openApplication } from "./start.ts";
export { defaultTimeouts, serve } from "./program/serve.ts";
export {
  askFactsFromRows,
  existingRecord,
  exportedColumns,
  exportedRow,
  heldBy,
} from "./store/shared-rows.ts";
export { queuePage, rowOf, storedProjects, tablesBesideRecords } from "./store/shared-rows.ts";
export { assertNodeVersion, nodeVersionProblem } from "./store/node-version.ts";
export {
  besideDatabase,
  databasePlace,
  holdForServing,
  isPostgresUrl,
  openSqlite,
} from "./store/open-store.ts";
export { assertSchema, diskFull, SchemaMismatch, type SchemaVersion } from "./store/store-errors.ts";
export { StoreUnavailable, UnusableDatabase } from "./store/store-errors.ts";
export { flush, openConnection, openReader, type Connection } from "./store/sqlite/connection.ts";
export { migrations, schemaVersion } from "./store/sqlite/migrations.ts";
export { identityOf } from "./store/sqlite/in-place.ts";
export {
  codeOf,
  isBusy,
  isDiskFull,
  openingError,
  storeError,
  withStoreErrors,
} from "./store/sqlite/sqlite-error.ts";
export { type OpenSqlite } from "./store/sqlite/sqlite-store.ts";
export { truncateLog } from "./store/sqlite/log-truncation.ts";
export { erase } from "./store/sqlite/erasure.ts";
export { dayInMs, dayOf, erasingText, hourOf, ofPage } from "./store/store.ts";

import { type StoreAdministration } from "../store.ts";
import { type ConnectionPool } from "./connection-pool.ts";
import { importResponses } from "./import-responses.ts";
import { inspect } from "./inspect.ts";
import { readQueueFacts } from "./queue-facts.ts";
import { databaseNow, lastCleanUp, recordCleanUp, retain } from "./retention.ts";
import { respondentIds, subjectRecords } from "./subject-records.ts";

/** Everything runs beside the requests, on the connections for long work. Backups are `pg_dump`'s business. */
export function administration(long: ConnectionPool): StoreAdministration {
  return {
    importResponses: (responses) => long.use((connection) => importResponses(connection, responses)),
    subjectRecords: (projectId, respondents) =>
      long.read((connection) => subjectRecords(connection, projectId, respondents)),
    respondentIds: (projectId, after, limit) =>
      long.read((connection) => respondentIds(connection, projectId, after, limit)),
    retain: (rule) => long.transaction((connection) => retain(connection, rule)),
    lastCleanUp: () => long.read(lastCleanUp),
    recordCleanUp: (at) => long.use((connection) => recordCleanUp(connection, at)),
    now: () => long.read(databaseNow),
    queueFacts: () => long.read(readQueueFacts),
    inspect: () => long.read(inspect),
  };
}

import { type StoreAdministration } from "../store.ts";
import { backup } from "./backup.ts";
import { type Connection } from "./connection.ts";
import { importResponses } from "./import-responses.ts";
import { inspect } from "./inspect.ts";
import { QueueFactsReader } from "./queue-facts.ts";
import { retain } from "./retention.ts";
import { storeError } from "./sqlite-error.ts";
import { respondentIds, subjectRecords } from "./subject-records.ts";
import { type WriteQueue } from "./write-queue.ts";

async function read<T>(run: () => T): Promise<T> {
  try {
    return run();
  } catch (error) {
    throw storeError(error);
  }
}

export function administration(connection: Connection, writes: WriteQueue): StoreAdministration {
  const queueFacts = new QueueFactsReader(connection);
  return {
    importResponses: (responses) => writes.write(() => importResponses(connection, responses)),
    subjectRecords: (projectId, respondents) =>
      read(() => subjectRecords(connection, projectId, respondents)),
    respondentIds: (projectId, after, limit) =>
      read(() => respondentIds(connection, projectId, after, limit)),
    retain: (rule) => writes.write(() => retain(connection, rule)),
    queueFacts: () => read(() => queueFacts.read()),
    inspect: () => read(() => inspect(connection)),
    backup: (file, onProgress) => backup(connection, file, onProgress),
  };
}

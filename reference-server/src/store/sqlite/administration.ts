import { type RetentionCounts, type RetentionRule, type StoreAdministration } from "../store.ts";
import { backup } from "./backup.ts";
import { type Connection } from "./connection.ts";
import { importResponses } from "./import-responses.ts";
import { inspect } from "./inspect.ts";
import { type LogTruncation } from "./log-truncation.ts";
import { QueueFactsReader } from "./queue-facts.ts";
import { type Reserve } from "./reserve.ts";
import { lastCleanUp, recordCleanUp, retain } from "./retention.ts";
import { read } from "./sqlite-error.ts";
import { respondentIds, subjectRecords } from "./subject-records.ts";
import { type WriteQueue } from "./write-queue.ts";

/**
 * Takes what was forgotten off the disk too, once after the last of many short transactions; and when there was nothing
 * to forget, what a process that was killed, or held up by a reader, has left in the log.
 */
function forgetting(connection: Connection, writes: WriteQueue, truncation: LogTruncation, reserve: Reserve) {
  return async (rule: RetentionRule): Promise<RetentionCounts> => {
    const counts = await reserve.freeing(() => writes.write(() => retain(connection, rule)));
    const { responsesDeleted, dismissalsDeleted, failedTextsRemoved, textsThroughId } = counts;
    const goneForGood = responsesDeleted + dismissalsDeleted + failedTextsRemoved;
    if (goneForGood === 0 && textsThroughId === undefined) await truncation.run();
    return counts;
  };
}

export function administration(
  connection: Connection,
  writes: WriteQueue,
  truncation: LogTruncation,
  reserve: Reserve,
): StoreAdministration {
  const queueFacts = new QueueFactsReader(connection);
  return {
    importResponses: (responses) => writes.write(() => importResponses(connection, responses)),
    subjectRecords: (projectId, respondents) =>
      read(() => subjectRecords(connection, projectId, respondents)),
    respondentIds: (projectId, after, limit) =>
      read(() => respondentIds(connection, projectId, after, limit)),
    retain: forgetting(connection, writes, truncation, reserve),
    lastCleanUp: () => read(() => lastCleanUp(connection)),
    // On a full disk too: deleting what is old makes room.
    recordCleanUp: (at) => reserve.freeing(() => writes.write(() => recordCleanUp(connection, at))),
    queueFacts: () => read(() => queueFacts.read()),
    inspect: () => read(() => inspect(connection)),
    isErasedTextHeld: () => truncation.isHeld,
    backup: (file, onProgress) => backup(connection, file, onProgress),
  };
}

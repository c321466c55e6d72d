import { type StoreAdministration } from "../store.ts";
import { type Dialect, type WorkRunner } from "./work.ts";
import { importResponses } from "./import-responses.ts";
import { readQueueFacts } from "./queue-facts.ts";
import { lastCleanUp, newestRecordAt, recordCleanUp, retain } from "./retention.ts";
import { respondentIds, subjectRecords } from "./subject-records.ts";

export const administrationMethods = ({ read, write }: WorkRunner, dialect: Dialect) =>
  ({
    importResponses: (responses) => write(() => importResponses(responses, dialect)),
    subjectRecords: (projectId, respondents) => read(() => subjectRecords(projectId, respondents, dialect)),
    respondentIds: (projectId, after, limit) => read(() => respondentIds(projectId, after, limit, dialect)),
    retain: (rule) => write(() => retain(rule)),
    lastCleanUp: () => read(lastCleanUp),
    newestRecordAt: () => read(newestRecordAt),
    recordCleanUp: (at) => write(() => recordCleanUp(at)),
    queueFacts: () => read(readQueueFacts),
  }) satisfies Partial<StoreAdministration>;

import { type StoreAdministration } from "../store.ts";
import { importResponses } from "./import-responses.ts";
import { measuredAnswers } from "./measured-answers.ts";
import { readQueueFacts } from "./queue-facts.ts";
import { type QueryRunner } from "./query-runner.ts";
import { lastCleanUp, newestRecordAt, recordCleanUp, retain } from "./retention.ts";
import { type SqlDialect } from "./sql-dialect.ts";
import { respondentIds, subjectRecords } from "./subject-records.ts";

export const administrationMethods = ({ read, write }: QueryRunner, dialect: SqlDialect) =>
  ({
    importResponses: (responses) => write((queries) => importResponses(queries, responses)),
    subjectRecords: (projectId, respondents) =>
      read((queries) => subjectRecords(queries, projectId, respondents, dialect)),
    respondentIds: (projectId, after, limit) =>
      read((queries) => respondentIds(queries, projectId, after, limit, dialect)),
    retain: (rule) => write((queries) => retain(queries, rule)),
    lastCleanUp: () => read(lastCleanUp),
    newestRecordAt: () => read(newestRecordAt),
    recordCleanUp: (at) => write((queries) => recordCleanUp(queries, at)),
    queueFacts: () => read(readQueueFacts),
    measuredAnswers: (selection) => measuredAnswers(read, selection),
  }) satisfies Partial<StoreAdministration>;

import { agreement, changeAgreement } from "./agreements.ts";
import { type SqlDialect } from "./sql-dialect.ts";
import { type QueryRunner } from "@afterword/results/store";
import { type StoreAdministration } from "./administration.ts";
import { importResponses } from "./import-responses.ts";
import { readQueueFacts } from "./queue-facts.ts";
import { recordKeyUse } from "./key-uses.ts";
import { lastCleanUp, newestRecordAt, recordCleanUp, retain } from "./retention.ts";
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
    agreement: (name) => read((queries) => agreement(queries, name)),
    changeAgreement: (name, change) => write((queries) => changeAgreement(queries, name, change)),
    recordKeyUse: (uses) => write((queries) => recordKeyUse(queries, uses)),
    queueFacts: () => read(readQueueFacts),
  }) satisfies Partial<StoreAdministration>;

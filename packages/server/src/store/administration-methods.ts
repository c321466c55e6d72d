import { sql } from "kysely";
import { agreement, changeAgreement } from "./agreements.ts";
import { countedQueueDepth, type Queries, type QueryRunner } from "@afterword/results/store";
import { type QueueFacts, type StoreAdministration } from "./administration.ts";
import { importResponses } from "./import-responses.ts";
import { recordKeyUse } from "./key-uses.ts";
import { lastCleanUp, newestRecordAt, recordCleanUp, retain } from "./retention.ts";
import { respondentIds, type SqlDialect, subjectRecords } from "./subject-records.ts";

/** Reads an index of its own and stops at the limit, so a long queue costs no more than that. */
const depthOf = (state: "pending" | "failed") => sql`
  SELECT count(*) FROM (
    SELECT 1 FROM responses WHERE project_id = projects.id AND score_state = ${sql.lit(state)}
    LIMIT ${sql.lit(countedQueueDepth)}
  ) AS counted`;

const queueFacts = sql<Omit<QueueFacts, "oldestPendingAt"> & { oldestPendingAt: number | null }>`
  SELECT projects.id AS "projectId", (${depthOf("pending")}) AS pending, (${depthOf("failed")}) AS failed,
    (SELECT at FROM responses WHERE project_id = projects.id AND score_state = 'pending' ORDER BY sequence LIMIT 1)
      AS "oldestPendingAt"
  FROM projects ORDER BY projects.id`;

async function readQueueFacts(queries: Queries): Promise<QueueFacts[]> {
  const { rows } = await queueFacts.execute(queries);
  return rows.map((row) => ({ ...row, oldestPendingAt: row.oldestPendingAt ?? undefined }));
}

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

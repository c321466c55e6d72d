import { limits } from "@afterword/protocol/limits";
import type {
  AskFacts,
  EarlierAsk,
  ExistingRecord,
  ExportedResponse,
  KeyRecord,
  ProjectRecord,
  StoredProject,
  Suppression,
  SurveyRecord,
} from "./store.ts";

/** The columns that a change writes, each of them: an entry replaces what is stored, also by nothing. Uses of keys are written apart. */
export const columns = {
  projects: "id name allowedOrigins gating epoch secrets createdAt",
  keys: "id projectId kind scopes digest publishableKey display managedBy createdAt expiresAt revokedAt",
  surveys:
    "projectId id slug version definition status maximum askAgain unprompted sampling managedBy deletedAt",
};

/** Columns that hold JSON. */
const jsonColumns = new Set("allowedOrigins scopes uses gating definition askAgain sampling".split(" "));

function toColumn(value: unknown): unknown {
  if (typeof value === "object") return JSON.stringify(value);
  return typeof value === "boolean" ? Number(value) || null : (value ?? null);
}

function fromColumn(column: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (column === "unprompted") return value === 1;
  return jsonColumns.has(column) ? JSON.parse(value as string) : value;
}

/** The row of an entry, with the names of the columns in camel case; what is absent is null. */
export const rowOf = (table: keyof typeof columns, entry: object): Record<string, unknown> =>
  Object.fromEntries(
    columns[table].split(" ").map((column) => [column, toColumn(entry[column as keyof typeof entry])]),
  );

const fromRow = <Entry>(row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, fromColumn(column, value)]),
  ) as Entry;

/** Builds projects from the rows of the three tables, in the order of the rows. */
export function storedProjects(
  projects: readonly { id: string }[],
  keys: readonly { projectId: string }[],
  surveys: readonly { projectId: string }[],
): StoredProject[] {
  const [keysOf, surveysOf] = [keys, surveys].map((rows) => Map.groupBy(rows, (row) => row.projectId));
  return projects.map((project) => ({
    ...fromRow<ProjectRecord>(project),
    keys: (keysOf!.get(project.id) ?? []).map(fromRow<KeyRecord>),
    surveys: (surveysOf!.get(project.id) ?? []).map(fromRow<SurveyRecord>),
  }));
}

/** Tables with a project's rows, beside responses and dismissals. */
export const tablesBesideRecords = [
  "suppression",
  "asks",
  "runs",
  "response_counts",
  "run_counts",
  "deliveries",
  "leases",
  "spent_tokens",
];

/** A row of the ledger with the rating of its response; nulls for an unused token. */
export type SpentRow = { [Column in keyof Required<ExistingRecord>]: ExistingRecord[Column] | null };

/** Once the record is gone, the time that is left is for the ledger alone. */
export const existingRecord = ({ kind, id, at, rating }: SpentRow): ExistingRecord | undefined =>
  kind === null
    ? undefined
    : { kind, id: id ?? undefined, at: (id && at) || undefined, rating: rating ?? undefined };

/** The columns that an export selects. */
export const exportedColumns = `sequence, id, survey_id AS "surveyId", survey_version AS "surveyVersion", rating, text,
  respondent_id AS "respondentId", session_id AS "sessionId", observation_id AS "observationId", task_type AS "taskType",
  follow_up_requested AS "followUpRequested", at, source, traits, run`;

/** A row of the columns that an export selects. */
export type ExportRow = Omit<ExportedResponse, "respondentId" | "followUpRequested"> & {
  sequence: number;
  respondentId: string | null;
  followUpRequested: number | null;
};

export const exportedRow = ({
  sequence: _,
  respondentId,
  followUpRequested,
  ...row
}: ExportRow): ExportedResponse => ({
  ...row,
  respondentId: respondentId ?? undefined,
  followUpRequested: followUpRequested === null ? undefined : followUpRequested === 1,
});

/** A row of the one statement by which both databases answer gating. */
export interface AskRow {
  kind: "project" | "survey" | "ask" | "run" | "count";
  surveyId: string;
  /** In a row of a survey, when it was answered last; in the project's row, its epoch. */
  at: number;
  /** In a row of a survey, when it was dismissed last; in rows of asks and counts, how many there are. */
  more: number;
  isPermanent: number;
}

export function askFactsFromRows(rows: readonly AskRow[]): AskFacts {
  const suppression: Suppression[] = [];
  const asks: EarlierAsk[] = [];
  const surveyIdsOfRun = new Set<string>();
  const responseCounts = new Map<string, number>();
  let epoch: number | undefined;
  for (const { kind, surveyId, at, more, isPermanent } of rows) {
    if (kind === "project") epoch = at;
    else if (kind === "ask") asks.push({ surveyId, at, times: more });
    else if (kind === "run") surveyIdsOfRun.add(surveyId);
    else if (kind === "count") responseCounts.set(surveyId, more);
    else suppression.push({ surveyId, answeredAt: at, dismissedAt: more, isPermanent: isPermanent === 1 });
  }
  return { epoch, suppression, asks, surveyIdsOfRun, responseCounts };
}

/** A clock that is set back must not make a lease longer: one that would last longer than any has ended. */
const longestLeaseInMs = 2 * 1000 * limits.leaseInSeconds;

/** Matches leases of other consumers. @param consumer the parameter of the own one @param now that of the time */
export const heldBy = (consumer: string, now: string) =>
  `leases.consumer <> ${consumer} AND leases.until > ${now} AND leases.until <= ${now} + ${longestLeaseInMs}`;

/**
 * Selects a page of the queue, which is no table of its own but a view on the responses. Each state has an index of its own, so
 * a page costs the same behind a million delivered or failed rows.
 * @param isHeld leaves out scores with such a lease. Default: none
 */
export function queuePage(
  { projectId, after, limit }: Record<"projectId" | "after" | "limit", string>,
  includeFailed: boolean,
  isHeld?: string,
): string {
  const isFree = `AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.sequence = responses.sequence AND ${isHeld})`;
  const inState = (state: "pending" | "failed") => `
    SELECT sequence, id, survey_id AS "surveyId", at, session_id AS "sessionId", observation_id AS "observationId", rating,
      text, task_type AS "taskType", run
    FROM responses WHERE project_id = ${projectId} AND score_state = '${state}' AND sequence > ${after}
      ${isHeld ? isFree : ""}
    ORDER BY sequence LIMIT ${limit}`;
  if (!includeFailed) return inState("pending");
  return `SELECT * FROM (${inState("pending")}) AS pending UNION ALL
    SELECT * FROM (${inState("failed")}) AS failed ORDER BY sequence LIMIT ${limit}`;
}

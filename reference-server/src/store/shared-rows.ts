import { type ExistingRecord, type ExportedResponse } from "./records.ts";
import { type KeyRecord, type ProjectRecord, type StoredProject, type SurveyRecord } from "./project.ts";

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

/** What an export selects. */
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

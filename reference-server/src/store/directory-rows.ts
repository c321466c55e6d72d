import {
  type KeyRecord,
  type KeyUses,
  type ProjectRecord,
  type StoredProject,
  type SurveyRecord,
} from "./project.ts";

/** Columns that an entry may lack: an entry replaces what is stored, also by nothing. */
const blankKey = { scopes: undefined, publishableKey: undefined, expiresAt: undefined, revokedAt: undefined };
const blankSurvey = {
  maximum: undefined,
  askAgain: undefined,
  unprompted: undefined,
  sampling: undefined,
  deletedAt: undefined,
};

/** Lists and objects are stored as JSON, and what is absent as null. */
const jsonColumns: ReadonlySet<string> = new Set([
  "allowedOrigins",
  "scopes",
  "uses",
  "gating",
  "definition",
  "askAgain",
  "sampling",
]);
/** What an entry has beside its own row, and what only `recordKeyUse` writes. */
const notWritten: ReadonlySet<string> = new Set(["keys", "surveys", "uses"]);

function toColumn(value: unknown): unknown {
  if (typeof value === "object") return JSON.stringify(value);
  return typeof value === "boolean" ? Number(value) || null : (value ?? null);
}

function fromColumn(column: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (column === "unprompted") return value === 1;
  return jsonColumns.has(column) ? JSON.parse(value as string) : value;
}

const toRow = (entry: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entry)
      .filter(([column]) => !notWritten.has(column))
      .map(([column, value]) => [column, toColumn(value)]),
  );

/** Rows have the columns of a table, in camel case, as both databases store them. */
export const projectRow = (project: ProjectRecord): Record<string, unknown> => toRow(project);
export const keyRow = (key: KeyRecord): Record<string, unknown> => toRow({ ...blankKey, ...key });
export const surveyRow = (survey: SurveyRecord): Record<string, unknown> =>
  toRow({ ...blankSurvey, ...survey });

const fromRow = <Entry>(row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, fromColumn(column, value)]),
  ) as Entry;

/** Makes projects with their keys and surveys of the rows of the three tables; the order of the rows stays. */
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

/** The later time of each use, as a key's column has it. @param stored what the column has now */
export function laterUses(stored: string | null, uses: KeyUses): string {
  const known = JSON.parse(stored ?? "{}") as KeyUses;
  const times = Object.entries({ ...known, ...uses });
  return JSON.stringify(
    Object.fromEntries(times.map(([use, at]) => [use, Math.max(at, known[use as keyof KeyUses] ?? at)])),
  );
}

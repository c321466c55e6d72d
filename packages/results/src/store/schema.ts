import { CamelCasePlugin, type Dialect, type Generated, Kysely } from "kysely";
import {
  type KeyRecord,
  type ProjectRecord,
  type SurveyRecord,
  type RunCount,
  type StoredResponse,
} from "@afterword/reference-server/internal";

/** As a column holds it: flags are 0 or 1, lists and objects are JSON texts, and what is absent is null. */
type Column<Value> = Value extends undefined
  ? null
  : Value extends boolean
    ? number
    : Value extends string | number | Uint8Array | null
      ? Value
      : string;
type Row<Entry> = { [Name in keyof Required<Entry>]: Column<Entry[Name]> };

/**
 * The tables, as both databases have them, with names in camel case: Kysely writes `project_id` for `projectId`. Times are
 * milliseconds since 1970.
 */
export interface Schema {
  projects: Row<ProjectRecord>;
  keys: Row<KeyRecord>;
  surveys: Row<SurveyRecord>;
  /** One row: counts changes of the three tables above. */
  directory: { version: number };
  agreements: { name: string; value: string };
  /** One row: when data was last deleted for its age; null before the first time. */
  cleanUp: { lastAt: number | null };
  /** The ledger: apart from the records, so that erasing a record does not make its token usable again. */
  spentTokens: {
    projectId: string;
    tokenId: Uint8Array;
    kind: string;
    recordId: string | null;
    /** When it was spent; once the record is gone, the beginning of that day. */
    at: number | null;
    /** How often its answer was compared with another one. */
    compared: number;
  };
  responses: Omit<Row<StoredResponse>, "sequence"> & { sequence: Generated<number> };
  dismissals: {
    id: string;
    projectId: string;
    surveyId: string;
    respondentId: string | null;
    at: number;
    tokenId: Uint8Array;
  };
  /** One row per hashed respondent and survey, however often it was asked. A time of 0: never. */
  suppression: {
    projectId: string;
    respondentHash: Uint8Array;
    surveyId: string;
    answeredAt: number;
    dismissedAt: number;
    isPermanent: number;
  };
  /** Answers and dismissals that a monthly cap counts. */
  asks: { projectId: string; respondentHash: Uint8Array; at: number; surveyId: string; times: number };
  /** Runs that a person has answered or dismissed, of surveys that are asked once in each. */
  runs: { projectId: string; respondentHash: Uint8Array; runHash: Uint8Array; surveyId: string; at: number };
  /** How many scores became delivered in an hour, which is the moment it begins. */
  deliveries: { projectId: string; hour: number; delivered: number };
  /** Scores that a consumer of the queue keeps from the others. */
  leases: { sequence: number; projectId: string; consumer: string; until: number };
  /** What became of runs and tokens on a day, which is the moment it begins. An empty text stands for none. */
  runCounts: RunCount;
}

/** Queries of one database; inside a transaction those of its connection. */
export type Queries = Kysely<Schema>;

/** Columns and tables have names in camel case here, and with underscores in the databases. */
export const queriesOf = (dialect: Dialect): Queries =>
  new Kysely<Schema>({ dialect, plugins: [new CamelCasePlugin()] });

type Run = <Result>(work: (queries: Queries) => Promise<Result>) => Promise<Result>;

/** Runs queries on a database. They are handed over as a function, since a lost connection or a collision repeats them. */
export interface QueryRunner {
  /** Statements that change nothing, each for itself. */
  readonly read: Run;
  /** Statements of one transaction. They must wait for nothing but the database. */
  readonly write: Run;
}

import { sql } from "kysely";
import { type Store } from "@afterword/reference-server/internal";
import {
  countedQueueDepth,
  type Queries,
  type QueryRunner,
  type ResultsStore,
} from "@afterword/results/store";
import { agreement, changeAgreement } from "./agreements.ts";
import { importResponses } from "./import-responses.ts";
import { recordKeyUse } from "./key-uses.ts";
import { lastCleanUp, recordCleanUp, retain } from "./retention.ts";
import { respondentIds, type RespondentCondition, subjectRecords } from "./subject-records.ts";

// What operating the service needs from a database, beside answering requests. Times are milliseconds since 1970.

/** A database with what operating the service needs from it. */
export interface OperatedStore extends Store {
  readonly administration: StoreAdministration;
}

export interface StoreAdministration extends ResultsStore, ReturnType<typeof administrationMethods> {
  /** The database's own clock, for nodes whose clocks differ; absent where the database is in this process. */
  now?(): Promise<number>;
  /** Folders on this machine that must not become full, by what they hold. */
  readonly folders: Readonly<Record<string, string>>;
  /** Connections to the database, by what they are for; absent where the database is in this process. */
  connectionPools?(): Readonly<Record<string, ConnectionPoolFacts>>;
  /** Bytes of the write-ahead log; `undefined` where the account of the database may not ask. */
  writeAheadLogBytes(): Promise<number | undefined>;
  /**
   * Looks at version and settings, and says what to do about what is wrong.
   * @param isIntegrityAsked whether to read the whole database for damage, where it is in this process. Default: no.
   */
  inspect(isIntegrityAsked?: boolean): Promise<Finding[]>;
  /**
   * Whether text that was erased here is still in the log because of a reader, also after `close`; absent where the engine
   * has no such log.
   */
  isErasedTextHeld?(): boolean;
  /** Sets the listener for failures to take erased text off the disk. The erasure has succeeded; SQLite retries. */
  onErasingFailure(listener: (error: unknown) => void): void;
  /** Gives up reserved disk space while the disk is full, for what hooks write; absent where none is reserved. */
  readonly room?: { take(): void; giveBack(): void };
  /**
   * Copies the database into a new file while it is in use, and checks the copy; absent where the database has a tool of
   * its own for it. The copy is the state at the beginning.
   */
  backup?(file: string, options: BackupOptions): Promise<void>;
}

export interface BackupOptions {
  /** The copy fails when the write-ahead log, which grows meanwhile, reaches this size. */
  mostLogBytes: number;
  /** Called with pages; what it throws ends the copy. */
  onProgress?: (copied: number, total: number) => void;
}

export interface QueueFacts {
  projectId: string;
  pending: number;
  failed: number;
  oldestPendingAt: number | null;
}

export interface ConnectionPoolFacts {
  /** Open connections, and how many of them nothing uses. */
  size: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
}

export interface Finding {
  name: string;
  isGood: boolean;
  found: string;
  /** What to do; absent when all is well. */
  advice?: string;
}

/** The result of one check. @param advice left out when all is well */
export const finding = (name: string, isGood: boolean, found: unknown, advice?: string): Finding => ({
  name,
  isGood,
  found: String(found),
  ...(!isGood && { advice }),
});

/** The agreement on when a backup was last complete, in milliseconds since 1970. */
export const lastBackupAt = "last-backup-at";

/** Reads an index of its own and stops at the limit, so a long queue costs no more than that. */
const depthOf = (state: "pending" | "failed") => sql`
  SELECT count(*) FROM (
    SELECT 1 FROM responses WHERE project_id = projects.id AND score_state = ${sql.lit(state)}
    LIMIT ${sql.lit(countedQueueDepth)}
  ) AS counted`;

const queueFacts = sql<QueueFacts>`
  SELECT projects.id AS "projectId", (${depthOf("pending")}) AS pending, (${depthOf("failed")}) AS failed,
    (SELECT at FROM responses WHERE project_id = projects.id AND score_state = 'pending' ORDER BY sequence LIMIT 1)
      AS "oldestPendingAt"
  FROM projects ORDER BY projects.id`;

type Query<Given extends unknown[], Result> = (queries: Queries, ...given: Given) => Promise<Result>;

/** What both databases do by the same queries. */
export function administrationMethods({ read, write }: QueryRunner, isRespondent: RespondentCondition) {
  const reading =
    <Given extends unknown[], Result>(query: Query<Given, Result>) =>
    (...given: Given): Promise<Result> =>
      read((queries) => query(queries, ...given));
  const writing =
    <Given extends unknown[], Result>(query: Query<Given, Result>) =>
    (...given: Given): Promise<Result> =>
      write((queries) => query(queries, ...given));
  return {
    importResponses: writing(importResponses),
    subjectRecords: reading(subjectRecords(isRespondent)),
    respondentIds: reading(respondentIds),
    /** Forgets some of what is old, in one short transaction; call again until nothing is left to do. */
    retain: writing(retain),
    lastCleanUp: reading(lastCleanUp),
    recordCleanUp: writing(recordCleanUp),
    agreement: reading(agreement),
    changeAgreement: writing(changeAgreement),
    recordKeyUse: writing(recordKeyUse),
    /** How the queues stand; cheap enough to be asked for metrics. */
    queueFacts: reading(async (queries) => (await queueFacts.execute(queries)).rows),
  };
}

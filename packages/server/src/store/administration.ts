import { type Traits } from "@afterword/protocol";
import {
  type EarlierAsk,
  type KeyUses,
  type Store,
  type StoredResponse,
  type Suppression,
} from "@afterword/reference-server/internal";
import { type ResultsStore } from "@afterword/results/store";

// What operating the service needs from a database, beside answering requests. Times are milliseconds since 1970.

/** A database with what operating the service needs from it. */
export interface OperatedStore extends Store {
  readonly administration: StoreAdministration;
}

export interface StoreAdministration extends ResultsStore {
  /**
   * Adds responses that were measured elsewhere; one transaction. An id that is there already is left as it is, so an
   * import that was cut short can be run again. Returns how many were added.
   */
  importResponses(responses: readonly ImportedResponse[]): Promise<number>;
  /** Everything that is stored about a person, in the order in which it was stored. */
  subjectRecords(projectId: string, respondents: readonly RespondentIdentity[]): Promise<SubjectRecords>;
  /** Identified respondents who have responses or dismissals, each once and sorted, after `after`. */
  respondentIds(projectId: string, after: string | undefined, limit: number): Promise<string[]>;
  /** Forgets some of what is old, in one short transaction; call again until nothing is left to do. */
  retain(rule: RetentionRule): Promise<RetentionCounts>;
  /** When the last clean-up was, by the clock that it went by; `undefined` before the first. */
  lastCleanUp(): Promise<number | undefined>;
  recordCleanUp(at: number): Promise<void>;
  /** The time of the newest response or dismissal; `undefined` while there is none. */
  newestRecordAt(): Promise<number | undefined>;
  /** The database's own clock, for nodes whose clocks differ; absent where the database is in this process. */
  now?(): Promise<number>;
  /** What nodes and commands agreed on under a name; `undefined` while nothing was. */
  agreement(name: string): Promise<string | undefined>;
  /** Replaces what was agreed on under a name; a function gets what it replaces, and lets no other in between. */
  changeAgreement(name: string, change: string | ((before?: string) => string)): Promise<void>;
  /** Remembers when keys were last used; does not count as a change of the directory. */
  recordKeyUse(usesByKeyId: ReadonlyMap<string, KeyUses>): Promise<void>;
  /** How the queues stand; cheap enough to be asked for metrics. */
  queueFacts(): Promise<QueueFacts[]>;
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

/** A person with the hash that suppression is kept under. */
export interface RespondentIdentity {
  id: string;
  hash: Uint8Array;
}

/** Never linked and never in the queue; its survey's count includes it. */
export interface ImportedResponse {
  id: string;
  at: number;
  projectId: string;
  surveyId: string;
  surveyVersion: number;
  respondentId: string;
  rating: number;
  text?: string;
  traits?: Traits;
}

export interface SubjectResponse extends Omit<StoredResponse, "sequence" | "projectId" | "tokenId"> {
  respondentId: string;
}

export interface SubjectDismissal {
  id: string;
  surveyId: string;
  respondentId: string;
  at: number;
}

export interface SubjectRun {
  surveyId: string;
  at: number;
}

export interface SubjectRecords {
  responses: SubjectResponse[];
  dismissals: SubjectDismissal[];
  /** What follows is kept under hashes alone; times are no finer than a day after an erasure. */
  suppression: Suppression[];
  asks: EarlierAsk[];
  runs: SubjectRun[];
}

/** Every look-up has an index, except that texts of failed scores are looked for among all failed ones. Ids sort by time, so an id stands for a moment. Absent: nothing of the kind goes. */
export interface RetentionRule {
  /** Responses and dismissals with smaller ids go as a whole; counts of surveys and suppression stay as they are. */
  recordsBeforeId?: string;
  /** Texts of responses of an earlier time go; the rest of the response stays. */
  textsBefore?: number;
  /** Texts of responses with smaller ids go while their score counts as failed; the rest of the response stays. */
  failedTextsBeforeId?: string;
  /** Asks of an earlier time go: no monthly cap counts them any more. */
  asksBefore?: number;
  /** Runs of an earlier time go. */
  runsBefore?: number;
  /** Counts of runs of days that began earlier go. */
  runCountsBefore?: number;
  /** Rows of each kind that one call forgets at most. */
  limit: number;
  /** What to look for. Default: all kinds. */
  kinds?: readonly RetentionKind[];
}

/** What a clean-up forgets. */
export const retentionKinds = [
  "responsesDeleted",
  "dismissalsDeleted",
  "textsRemoved",
  "failedTextsRemoved",
  "asksForgotten",
  "runsForgotten",
  "runCountsForgotten",
] as const;
export type RetentionKind = (typeof retentionKinds)[number];
export type RetentionCounts = Record<RetentionKind, number>;

export interface QueueFacts {
  projectId: string;
  pending: number;
  failed: number;
  oldestPendingAt?: number;
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

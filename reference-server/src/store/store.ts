import { type DirectoryChange, type MasterKeyRecord, type StoredProject } from "./project.ts";
import {
  type Acknowledgement,
  type AskFacts,
  type AskQuery,
  type EraseCounts,
  type EraseSelection,
  type ExistingRecord,
  type ExpiredTokens,
  type ExportSelection,
  type ExportSnapshot,
  type Lease,
  type NewRecord,
  type NewResponse,
  type PageRequest,
  type ProjectPurge,
  type RunCount,
  type ScorePage,
  type SpendOutcome,
  type StoredAnswer,
} from "./records.ts";

// Implementations import everything from here.
export type * from "./project.ts";
export type * from "./records.ts";
export { dayInMs } from "@afterword/protocol/duration";
export { dayOf, hourOf, ofPage } from "./records.ts";
export { StoreUnavailable } from "./store-unavailable.ts";

/** Name of the task that removes erased text from the disk, in events of its failures. */
export const erasingText = "take erased text off the disk";

/**
 * The database as the domain uses it, in the domain's words. Everything is asynchronous, every write is on disk
 * when its promise resolves, and every method fails with `StoreUnavailable` when the database cannot answer now.
 * `test/conformance/store.suite.ts` holds for every implementation.
 */
export interface Store {
  /** Grows with each change of a project, key or survey by any process; cheap enough to poll. */
  directoryVersion(): Promise<number>;
  /** All projects with their keys and surveys, deleted surveys and revoked keys included. */
  readDirectory(): Promise<StoredProject[]>;
  /** The master keys that the database has been used with, the current one first; none while it has no key. */
  masterKeys(): Promise<readonly MasterKeyRecord[]>;
  /**
   * Decides on a change and writes it in one transaction, which no other change can overlap.
   * `decide` gets the current state, and may run more than once.
   */
  changeDirectory(
    decide: (current: StoredProject[], masterKeys: readonly MasterKeyRecord[]) => DirectoryChange,
  ): Promise<void>;

  /** Reads what gating decides on: a bounded number of rows, however often the respondent was asked. */
  askFacts(projectId: string, query: AskQuery): Promise<AskFacts>;

  /** Spends the token and stores the response in one transaction; exactly one call per token gets `stored`. */
  submit(response: NewResponse): Promise<SpendOutcome>;
  /** Spends the token and stores the dismissal; as `submit`. */
  dismiss(dismissal: NewRecord): Promise<SpendOutcome>;
  /** For each token, in their order, the record that spent it; `undefined` while it is unused. */
  spentTokens(projectId: string, tokenIds: readonly Uint8Array[]): Promise<(ExistingRecord | undefined)[]>;
  /**
   * The answer that spent a token, to be compared with another one; counts the calls of all nodes, and returns nothing after
   * the first `most` of them, for a dismissal, and once the answer was erased.
   */
  answerToCompare(projectId: string, tokenId: Uint8Array, most: number): Promise<StoredAnswer | undefined>;

  /** Adds to what is stored, in one transaction. */
  addRunCounts(counts: readonly RunCount[]): Promise<void>;

  /**
   * Linked scores in the order in which they were stored. To a consumer it lists what no other one holds, and keeps it for this
   * one until the lease ends or the score is acknowledged; in one transaction, so that no two get the same score.
   */
  pendingScores(page: PageRequest, lease?: Lease): Promise<ScorePage>;
  /**
   * Sets states in one transaction and returns how many rows changed; delivered is final. Counts
   * the delivered ones for their hour.
   */
  acknowledge(projectId: string, results: ReadonlyMap<string, Acknowledgement>, at: number): Promise<number>;

  /** Rows of one snapshot, counted in the same snapshot. Close it. */
  openExport(selection: ExportSelection): Promise<ExportSnapshot>;
  /** The folder for the file of an export whose reader is slow. */
  readonly temporaryFolder: string;
  /**
   * Erases a selection, or everything of a project but its keys and survey definitions, in one transaction. Then takes the
   * erased text off the storage as far as the engine can.
   */
  erase(erased: EraseSelection | ProjectPurge): Promise<EraseCounts>;

  /** For people: where the bytes of what was erased linger, and until when. */
  readonly erasedBytesNote: string;

  /**
   * Forgets some spent tokens that have expired for good, in one short transaction; returns how many. Fewer than the limit:
   * none is left, or another node is at them.
   */
  forgetExpiredTokens(expired: ExpiredTokens, limit: number): Promise<number>;

  /** Whether the database answers; for readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

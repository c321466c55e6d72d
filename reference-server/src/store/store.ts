import { dayInMs, hourInMs } from "@afterword/protocol/duration";
import { type IdentityKind, type PendingScore, type ResponseBody, type ScoredRun } from "@afterword/protocol";
import { type DirectoryChange, type MasterKeyRecord, type StoredProject } from "./project.ts";

// Implementations import everything from here.
export type * from "./project.ts";
export { dayInMs };
export { StoreUnavailable } from "./store-errors.ts";

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

// Rows as they cross the seam between domain and store. Times are milliseconds since 1970.

/** The identity of a show-token that is about to be spent. */
export interface TokenSpend {
  projectId: string;
  /** The project's epoch inside the token; another one in the database means that the project was purged. */
  epoch: number;
  /**
   * 16 bytes from the domain's `ledgerKey`: the sooner an id may be forgotten, the smaller it is. Ids that begin
   * with ffff, which no time does, are of tokens that are one per run; they are forgotten some time after their use.
   */
  tokenId: Uint8Array;
}

/** Spent tokens that have expired for good. */
export interface ExpiredTokens {
  /** Smaller ids than this one. */
  idsBefore: Uint8Array;
  /** Ids that begin with ffff and were used before this moment. */
  runsUsedBefore: number;
}

/** The answer that a token was spent on. */
export type StoredAnswer = Pick<StoredResponse, "rating" | "text">;

/** The fields of responses and dismissals: each spends a token. */
export interface NewRecord {
  id: string;
  at: number;
  token: TokenSpend;
  surveyId: string;
  respondentId?: string;
  /** Keyed hash under which suppression is kept; absent without a respondent. */
  respondentHash?: Uint8Array;
  /** Keyed hash of the respondent's run, where the survey is asked once in each. */
  runHash?: Uint8Array;
  /** Whether a monthly cap counts it. */
  isCounted?: boolean;
}

type OfBody = "rating" | "text" | "followUpRequested" | "identityKind" | "traits" | "taskType";

export interface NewResponse extends NewRecord, Pick<ResponseBody, OfBody> {
  surveyVersion: number;
  run?: ScoredRun;
  /** Present on linked responses alone: they enter the queue. */
  sessionId?: string;
  observationId?: string;
}

/** The record that spent a token, with the rating of a response. All but `kind` are gone once the record was erased. */
export interface ExistingRecord {
  kind: "response" | "dismissal";
  id?: string;
  at?: number;
  rating?: number;
}

/** `stale`: the project was purged after the token was issued. */
export type SpendOutcome =
  { outcome: "stored" } | { outcome: "spent"; existing: ExistingRecord } | { outcome: "stale" };

/** A respondent has answered or dismissed a survey, at these times last; a time of 0 is never. */
export interface Suppression {
  surveyId: string;
  answeredAt: number;
  dismissedAt: number;
  /** Set by an erasure: the survey is never asked again, whatever its policy. */
  isPermanent: boolean;
}

/** An earlier answer or dismissal, the only asks that leave a trace; `times` counts those within the same millisecond. */
export interface EarlierAsk {
  surveyId: string;
  at: number;
  times: number;
}

/** The question of gating; without a respondent it is about the project alone. */
export interface AskQuery {
  respondentHash?: Uint8Array;
  /** The run that tokens are to be minted for. */
  runHash?: Uint8Array;
  /** How many of the newest asks. Default 0. */
  mostAsks?: number;
  /** Surveys whose responses are to be counted. Default: none. */
  countedSurveyIds?: readonly string[];
}

export interface AskFacts {
  /** The project's current epoch; absent when there is no such project. */
  epoch?: number;
  /** A fact for each survey that the respondent has answered or dismissed. */
  suppression: readonly Suppression[];
  /** Answers and dismissals that a monthly cap counts, newest first. */
  asks: readonly EarlierAsk[];
  /** Surveys that the respondent has answered or dismissed in the run. */
  surveyIdsOfRun: ReadonlySet<string>;
  /** How many responses each survey that was asked for has; one without responses may be missing. */
  responseCounts: ReadonlyMap<string, number>;
}

export interface PageRequest {
  projectId: string;
  /** Rows after this sequence number; 0 begins at the oldest. */
  after: number;
  includeFailed: boolean;
  limit: number;
}

export interface QueuedScore extends Omit<Required<PendingScore>, "at" | "run" | "thumbs"> {
  at: number;
  /** Serialised JSON. */
  run: string | null;
  /** Monotonic within the project. */
  sequence: number;
}

/** A consumer of the queue, which keeps the scores that it lists from the others. */
export interface Lease {
  consumer: string;
  now: number;
  /** When the lease ends. Absent: the consumer gives back all that it holds. */
  until?: number;
}

export interface ScorePage {
  scores: QueuedScore[];
  /** The page after this one comes after this sequence number; absent on the last page. */
  continuesAfter?: number;
  /**
   * To a consumer: how many scores of the queue others hold, and when the last of these leases ends; `null` without any.
   */
  leased?: { count: number; until: number | null };
}

/** The end of a score, and the reason if its sink refused it. */
export interface Acknowledgement {
  state: "delivered" | "failed";
  reason?: string;
}

/** Absent selectors select everything; several are the union of respondents within the surveys. */
export interface ExportSelection {
  projectId: string;
  respondentIds?: readonly string[];
  surveyIds?: readonly string[];
}

/** A response with all its columns. */
export interface StoredResponse {
  /** The order in which responses were stored. */
  sequence: number;
  id: string;
  projectId: string;
  surveyId: string;
  surveyVersion: number;
  respondentId: string | null;
  sessionId: string | null;
  observationId: string | null;
  taskType: string | null;
  rating: number | null;
  text: string | null;
  followUpRequested: boolean | null;
  identityKind: IdentityKind | null;
  /** Serialised JSON. */
  traits: string | null;
  /** Serialised JSON. */
  run: string | null;
  at: number;
  source: "measured" | "imported";
  scoreState: "unlinked" | "pending" | "failed" | "delivered";
  /** Why its sink refused the score, while the state is `failed`. */
  failure: string | null;
  tokenId: Uint8Array | null;
}

type OfQueue = "identityKind" | "scoreState" | "failure" | "tokenId";

export interface ExportedResponse extends Omit<
  StoredResponse,
  OfQueue | "sequence" | "projectId" | "respondentId" | "followUpRequested"
> {
  respondentId?: string;
  followUpRequested?: boolean;
}

export interface ExportSnapshot extends AsyncDisposable {
  readonly count: number;
  /** In the order in which the responses were stored. */
  pages(): AsyncIterable<ExportedResponse[]>;
  close(): Promise<void>;
}

export interface EraseSelection {
  projectId: string;
  /** A respondent with the hash that suppression is kept under. */
  respondents?: readonly { id: string; hash: Uint8Array }[];
  surveyIds?: readonly string[];
  /** Only what was stored until then; for erasures that are applied again to an older backup. */
  storedUntil?: number;
}

export interface ProjectPurge {
  projectId: string;
  /** The project's secrets from then on, with another pepper. */
  secrets: string;
}

export interface EraseCounts {
  responsesDeleted: number;
  dismissalsDeleted: number;
  /** Suppression facts that were kept: pairs of a respondent and a survey. */
  suppressionRetained: number;
}

/**
 * Counts are kept of runs, and of tokens that no run is known of. `run`: reported by a mint, and then one of the next three.
 * `notSampled`: left out by sampling. `gated`: not asked about for another reason. `asked`: a token was issued.
 */
export type RunCountKind = "run" | "notSampled" | "gated" | "asked" | "shown" | "answered" | "dismissed";

/** Instead of a reason: counts of a token that no run is known of, as bootstrap issues them to pages. */
export const ofPage = "page";

/** Counts to be added; a text that is empty stands for none. */
export interface RunCount {
  projectId: string;
  surveyId: string;
  /** The moment at which a day begins, in UTC. */
  day: number;
  /** The agent's version, as the mint reported it. */
  version: string;
  stratum: string;
  kind: RunCountKind;
  reason: string;
  count: number;
}

/** The moment at which the hour begins, in milliseconds since 1970. */
export const hourOf = (at: number): number => at - (at % hourInMs);

/** The moment at which the day begins in UTC, in milliseconds since 1970. */
export const dayOf = (at: number): number => at - (at % dayInMs);

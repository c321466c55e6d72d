import {
  type ExistingRecord,
  type ExpiredTokens,
  type NewDismissal,
  type NewRecord,
  type NewResponse,
  type SpendOutcome,
  type TokenSpend,
} from "../store.ts";
import { type Statement } from "better-sqlite3";
import { type Connection } from "./connection.ts";

// The hot path: statements are prepared once, and run inside the shared transaction.

const epochOf = "SELECT epoch FROM projects WHERE id = ?";
const spentBy = "SELECT kind, record_id AS id, at FROM spent_tokens WHERE project_id = ? AND token_id = ?";
const intoSpentTokens = {
  into: "spent_tokens (project_id, token_id, kind, record_id, at)",
  row: "(?, ?, ?, ?, ?)",
  skipsConflicts: true,
};
const intoResponses = {
  into: `responses (
    id, project_id, survey_id, survey_version, respondent_id, session_id, observation_id, task_type, rating, text,
    follow_up_requested, identity_kind, traits, at, source, score_state, token_id)`,
  row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'measured', ?, ?)",
};
const suppress = `
  INSERT INTO suppression (project_id, respondent_hash, survey_id, answered_at, dismissed_at, is_permanent)
  VALUES (?, ?, ?, ?, ?, 0)
  ON CONFLICT DO UPDATE SET
    answered_at = max(answered_at, excluded.answered_at), dismissed_at = max(dismissed_at, excluded.dismissed_at)`;
const addAsk = `
  INSERT INTO asks (project_id, respondent_hash, survey_id, at, times) VALUES (?, ?, ?, ?, 1)
  ON CONFLICT DO UPDATE SET times = times + 1`;
const addRun = `
  INSERT INTO runs (project_id, respondent_hash, run_hash, survey_id, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const addCount = `
  INSERT INTO response_counts (project_id, survey_id, responses) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET responses = responses + excluded.responses`;
const forgetExpired = `
  DELETE FROM spent_tokens WHERE (project_id, token_id) IN (
    SELECT project_id, token_id FROM spent_tokens
    WHERE project_id IN (SELECT id FROM projects) AND token_id < ? LIMIT ?
  )`;
// The first condition is that of the index `spent_run_tokens`, which the planner recognises by its words.
const forgetRuns = `
  DELETE FROM spent_tokens WHERE (project_id, token_id) IN (
    SELECT project_id, token_id FROM spent_tokens WHERE token_id >= X'ffff' AND at < ? ORDER BY at LIMIT ?
  )`;
const addDismissal = `
  INSERT INTO dismissals (id, project_id, survey_id, respondent_id, at, token_id) VALUES (?, ?, ?, ?, ?, ?)`;

type SpentRow = { kind: ExistingRecord["kind"]; id: string | null; at: number | null };

const stored: SpendOutcome = Object.freeze({ outcome: "stored" });
const stale: SpendOutcome = Object.freeze({ outcome: "stale" });

/** How many of each survey. */
function tallyOf(responses: readonly NewResponse[]): [projectId: string, surveyId: string, count: number][] {
  const tally = new Map<string, [projectId: string, surveyId: string, count: number]>();
  for (const { surveyId, token } of responses) {
    const key = `${token.projectId} ${surveyId}`;
    const entry = tally.get(key);
    if (entry) entry[2]++;
    else tally.set(key, [token.projectId, surveyId, 1]);
  }
  return [...tally.values()];
}

function rowOf(response: NewResponse): Row {
  return [
    response.id,
    response.token.projectId,
    response.surveyId,
    response.surveyVersion,
    response.respondentId ?? null,
    response.sessionId ?? null,
    response.observationId ?? null,
    response.taskType ?? null,
    response.rating,
    response.text ?? null,
    response.followUpRequested === undefined ? null : Number(response.followUpRequested),
    response.identityKind ?? null,
    response.traits ? JSON.stringify(response.traits) : null,
    response.at,
    response.sessionId === undefined ? "unlinked" : "pending",
    response.token.tokenId,
  ];
}

/** Spends tokens and stores what they were spent on. Its methods run inside a transaction of the write queue. */
export class Spending {
  readonly #statements;

  constructor(connection: Connection) {
    this.#statements = {
      epochOf: connection.prepare<[string], number>(epochOf).pluck(),
      spentBy: connection.prepare<[string, Uint8Array], SpentRow>(spentBy),
      spentTokens: new RowInserter(connection, intoSpentTokens),
      responses: new RowInserter(connection, intoResponses),
      suppress: connection.prepare<[string, Uint8Array, string, number, number]>(suppress),
      addAsk: connection.prepare<[string, Uint8Array, string, number]>(addAsk),
      addRun: connection.prepare<[string, Uint8Array, Uint8Array, string, number]>(addRun),
      addCount: connection.prepare<[string, string, number]>(addCount),
      addDismissal: connection.prepare(addDismissal),
      forgetExpired: connection.prepare(forgetExpired),
      forgetRuns: connection.prepare(forgetRuns),
    };
  }

  spentToken(projectId: string, tokenId: Uint8Array): ExistingRecord | undefined {
    const row = this.#statements.spentBy.get(projectId, tokenId);
    // Once the record is gone, the time that is left is for the ledger alone.
    return row && { kind: row.kind, id: row.id ?? undefined, at: (row.id && row.at) || undefined };
  }

  /** Stores them in their order. */
  submit(responses: readonly NewResponse[]): SpendOutcome[] {
    const outcomes = this.#spend(responses, "response");
    const added = responses.filter((_, index) => outcomes[index] === stored);
    this.#statements.responses.insert(added.map(rowOf));
    for (const entry of tallyOf(added)) this.#statements.addCount.run(...entry);
    return outcomes;
  }

  dismiss(dismissal: NewDismissal): SpendOutcome {
    const outcome = this.#spend([dismissal], "dismissal")[0]!;
    if (outcome !== stored) return outcome;
    const { id, token, surveyId, respondentId, at } = dismissal;
    this.#statements.addDismissal.run(id, token.projectId, surveyId, respondentId ?? null, at, token.tokenId);
    return outcome;
  }

  /** Returns how many were forgotten. */
  forgetExpired({ idsBefore, runsUsedBefore }: ExpiredTokens, limit: number): number {
    const { forgetExpired, forgetRuns } = this.#statements;
    const forgotten = forgetExpired.run(idsBefore, limit).changes;
    return forgotten + forgetRuns.run(runsUsedBefore, limit - forgotten).changes;
  }

  /** Never looks a token up before it writes: the unique key decides between two that come at once (decision D4). */
  #spend(records: readonly NewRecord[], kind: ExistingRecord["kind"]): SpendOutcome[] {
    const isFresh = this.#freshness();
    const fresh = records.filter(({ token }) => isFresh(token));
    const spends = fresh.map(({ token, id, at }): Row => [token.projectId, token.tokenId, kind, id, at]);
    const wereAllFree = this.#statements.spentTokens.insert(spends) === fresh.length;
    const outcomes = records.map((record) => {
      if (!isFresh(record.token)) return stale;
      return wereAllFree ? stored : this.#outcomeOf(record, kind);
    });
    for (const [index, record] of records.entries())
      if (outcomes[index] === stored) this.#remember(record, kind);
    return outcomes;
  }

  /** Writes what gating reads later. */
  #remember(record: NewRecord, kind: ExistingRecord["kind"]): void {
    const { token, respondentHash, runHash, surveyId, at, isCounted } = record;
    if (!respondentHash) return;
    const { projectId } = token;
    const [answeredAt, dismissedAt] = kind === "response" ? [at, 0] : [0, at];
    this.#statements.suppress.run(projectId, respondentHash, surveyId, answeredAt, dismissedAt);
    if (isCounted) this.#statements.addAsk.run(projectId, respondentHash, surveyId, at);
    if (runHash) this.#statements.addRun.run(projectId, respondentHash, runHash, surveyId, at);
  }

  /** Whether a token has its project's current epoch, which cannot change within this transaction. */
  #freshness(): (token: TokenSpend) => boolean {
    const epochs = new Map<string, number | undefined>();
    return ({ projectId, epoch }) => {
      if (!epochs.has(projectId)) epochs.set(projectId, this.#statements.epochOf.get(projectId));
      return epochs.get(projectId) === epoch;
    };
  }

  /** The token is in the ledger by now: either this record has just spent it, or an earlier one had. */
  #outcomeOf({ id, token }: NewRecord, kind: ExistingRecord["kind"]): SpendOutcome {
    const existing = this.spentToken(token.projectId, token.tokenId)!;
    return existing.id === id && existing.kind === kind ? stored : { outcome: "spent", existing };
  }
}

/** Rows per statement. Any number of rows takes some statements of 16 rows, then at most three of 4 and three of 1. */
const widths = [16, 4, 1];

/** The values of a row, in the order of the columns. */
export type Row = readonly (string | number | Uint8Array | null)[];

interface RowsOfTable {
  /** The table with its columns. */
  into: string;
  /** A parameter or a constant for each column, in parentheses. */
  row: string;
  /** Whether to leave out a row whose key exists. Default: that is an error. */
  skipsConflicts?: boolean;
}

/**
 * Inserts rows into one table, several per statement: SQLite then opens the table and its indexes once for all of them and
 * returns one result. The SQL is built from constants; values are parameters.
 *
 * A row that cannot be inserted rolls back the whole transaction (the write queue then repeats each write in its own): to
 * undo one statement of several rows, SQLite would first copy each page that the statement changes.
 */
export class RowInserter {
  readonly #statements: readonly { width: number; statement: Statement<unknown[]> }[];

  constructor(connection: Connection, { into, row, skipsConflicts = false }: RowsOfTable) {
    // Not DO UPDATE, for which SQLite makes those copies in any case.
    const rest = skipsConflicts ? " ON CONFLICT DO NOTHING" : "";
    this.#statements = widths.map((width) => {
      const rows = Array<string>(width).fill(row).join(", ");
      return {
        width,
        statement: connection.prepare(`INSERT OR ROLLBACK INTO ${into} VALUES ${rows}${rest}`),
      };
    });
  }

  /** In their order. Returns how many rows were added. */
  insert(rows: readonly Row[]): number {
    let changes = 0;
    let at = 0;
    for (const { width, statement } of this.#statements) {
      for (; at + width <= rows.length; at += width) {
        changes += statement.run(rows.slice(at, at + width).flat()).changes;
      }
    }
    return changes;
  }
}

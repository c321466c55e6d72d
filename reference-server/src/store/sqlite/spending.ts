import {
  type ExistingRecord,
  type ExpiredTokens,
  type NewDismissal,
  type NewRecord,
  type NewResponse,
  type SpendOutcome,
  type StoredAnswer,
} from "../store.ts";
import { existingRecord, type SpentRow } from "../shared-rows.ts";
import { type Access } from "./connection.ts";

// The hot path: statements are prepared once, and run inside the shared transaction.

const epochOf = "SELECT epoch FROM projects WHERE id = ?";
// Tokens in hexadecimal. Both joins look rows up by a key.
const spentBy = `
  SELECT spent.kind, spent.record_id AS id, spent.at, responses.rating FROM json_each(@tokenIds) AS asked
  LEFT JOIN spent_tokens AS spent ON spent.project_id = @projectId AND spent.token_id = unhex(asked.value)
  LEFT JOIN responses ON responses.id = spent.record_id
  ORDER BY asked.key`;
const spend = `
  INSERT INTO spent_tokens (project_id, token_id, kind, record_id, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const addResponse = `
  INSERT INTO responses (
    id, project_id, survey_id, survey_version, respondent_id, session_id, observation_id, task_type, rating, text,
    follow_up_requested, identity_kind, traits, run, at, source, score_state, token_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'measured', ?, ?)`;
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
  INSERT INTO response_counts (project_id, survey_id, responses) VALUES (?, ?, 1)
  ON CONFLICT DO UPDATE SET responses = responses + 1`;
const addDismissal = `
  INSERT INTO dismissals (id, project_id, survey_id, respondent_id, at, token_id) VALUES (?, ?, ?, ?, ?, ?)`;
const countComparison = `
  UPDATE spent_tokens SET compared = compared + 1
  WHERE project_id = ? AND token_id = ? AND kind = 'response' AND record_id IS NOT NULL AND compared < ?
  RETURNING record_id`;
// Along the primary key, project by project.
const forgetTokens = `
  DELETE FROM spent_tokens WHERE project_id = @projectId AND token_id IN (
    SELECT token_id FROM spent_tokens WHERE project_id = @projectId AND token_id < @idsBefore LIMIT @limit
  )`;
// Along the index of tokens that are one per run, which SQLite recognises by the first condition.
const forgetRunTokens = `
  DELETE FROM spent_tokens WHERE (project_id, token_id) IN (
    SELECT project_id, token_id FROM spent_tokens WHERE token_id >= X'ffff' AND at < @runsUsedBefore ORDER BY at LIMIT @limit
  )`;

function rowOf(response: NewResponse): (string | number | Uint8Array | null)[] {
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
    response.run ? JSON.stringify(response.run) : null,
    response.at,
    response.sessionId === undefined ? "unlinked" : "pending",
    response.token.tokenId,
  ];
}

/** Spends tokens and stores what they were spent on, in transactions of the write queue. */
export class Spending {
  readonly #statements;
  readonly #write: Access["write"];

  constructor({ connection, write }: Access) {
    this.#write = write;
    this.#statements = {
      epochOf: connection.prepare<[string], number>(epochOf).pluck(),
      spentBy: connection.prepare<[{ projectId: string; tokenIds: string }], SpentRow>(spentBy),
      spend: connection.prepare<[string, Uint8Array, string, string, number]>(spend),
      addResponse: connection.prepare(addResponse),
      suppress: connection.prepare<[string, Uint8Array, string, number, number]>(suppress),
      addAsk: connection.prepare<[string, Uint8Array, string, number]>(addAsk),
      addRun: connection.prepare<[string, Uint8Array, Uint8Array, string, number]>(addRun),
      addCount: connection.prepare<[string, string]>(addCount),
      addDismissal: connection.prepare(addDismissal),
      countComparison: connection.prepare<[string, Uint8Array, number], string>(countComparison).pluck(),
      answer: connection.prepare<[string], StoredAnswer>("SELECT rating, text FROM responses WHERE id = ?"),
      projectIds: connection.prepare<[], string>("SELECT id FROM projects").pluck(),
      forgetTokens: connection.prepare(forgetTokens),
      forgetRunTokens: connection.prepare(forgetRunTokens),
    };
  }

  spentTokens(projectId: string, tokenIds: readonly Uint8Array[]): (ExistingRecord | undefined)[] {
    const asked = JSON.stringify(tokenIds.map((tokenId) => Buffer.from(tokenId).toString("hex")));
    return this.#statements.spentBy.all({ projectId, tokenIds: asked }).map(existingRecord);
  }

  readonly submit = (response: NewResponse): Promise<SpendOutcome> =>
    this.#spend(response, "response", () => {
      this.#statements.addResponse.run(rowOf(response));
      this.#statements.addCount.run(response.token.projectId, response.surveyId);
    });

  readonly dismiss = (dismissal: NewDismissal): Promise<SpendOutcome> =>
    this.#spend(dismissal, "dismissal", () => {
      const { id, token, surveyId, respondentId, at } = dismissal;
      const { projectId, tokenId } = token;
      this.#statements.addDismissal.run(id, projectId, surveyId, respondentId ?? null, at, tokenId);
    });

  /** Never looks a token up before it writes: the unique key decides between two that come at once. */
  #spend(record: NewRecord, kind: ExistingRecord["kind"], add: () => void): Promise<SpendOutcome> {
    const { id, at, token } = record;
    const { projectId, tokenId, epoch } = token;
    return this.#write(() => {
      if (this.#statements.epochOf.get(projectId) !== epoch) return { outcome: "stale" };
      const { changes } = this.#statements.spend.run(projectId, tokenId, kind, id, at);
      if (changes === 0) return { outcome: "spent", existing: this.spentTokens(projectId, [tokenId])[0]! };
      this.#remember(record, kind);
      add();
      return { outcome: "stored" };
    });
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

  /** Counts before it reads (decision D120). */
  readonly answerToCompare = (
    projectId: string,
    tokenId: Uint8Array,
    most: number,
  ): Promise<StoredAnswer | undefined> =>
    this.#write(() => {
      const id = this.#statements.countComparison.get(projectId, tokenId, most);
      return id === undefined ? undefined : this.#statements.answer.get(id);
    });

  readonly forgetExpiredTokens = (expired: ExpiredTokens, limit: number): Promise<number> =>
    this.#write(() => {
      let forgotten = 0;
      for (const projectId of this.#statements.projectIds.all()) {
        const rest = { ...expired, projectId, limit: limit - forgotten };
        forgotten += this.#statements.forgetTokens.run(rest).changes;
      }
      const rest = { ...expired, limit: limit - forgotten };
      return forgotten + this.#statements.forgetRunTokens.run(rest).changes;
    });
}

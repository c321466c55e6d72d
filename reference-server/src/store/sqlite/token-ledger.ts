import type { ExistingRecord, NewRecord, NewResponse, SpendOutcome, Store, StoredAnswer } from "../store.ts";
import { existingRecord, type SpentRow } from "../shared-rows.ts";
import { type Access, type Connection } from "./connection.ts";

/** The hot path: statements are prepared once, and run inside the shared transaction. */
const statementsOf = (connection: Connection) => ({
  epochOf: connection.prepare<[string], number>("SELECT epoch FROM projects WHERE id = ?").pluck(),
  // Tokens in hexadecimal. Both joins look rows up by a key.
  spentBy: connection.prepare<[{ projectId: string; tokenIds: string }], SpentRow>(`
    SELECT spent.kind, spent.record_id AS id, spent.at, responses.rating FROM json_each(@tokenIds) AS asked
    LEFT JOIN spent_tokens AS spent ON spent.project_id = @projectId AND spent.token_id = unhex(asked.value)
    LEFT JOIN responses ON responses.id = spent.record_id
    ORDER BY asked.key`),
  spend: connection.prepare(`
    INSERT INTO spent_tokens (project_id, token_id, kind, record_id, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`),
  addResponse: connection.prepare(`
    INSERT INTO responses (
      id, project_id, survey_id, survey_version, respondent_id, session_id, observation_id, task_type, rating, text,
      follow_up_requested, identity_kind, traits, run, at, source, score_state, token_id)
    VALUES (
      @id, @projectId, @surveyId, @surveyVersion, @respondentId, @sessionId, @observationId, @taskType, @rating, @text,
      @followUpRequested, @identityKind, @traits, @run, @at, 'measured', @scoreState, @tokenId)`),
  suppress: connection.prepare(`
    INSERT INTO suppression (project_id, respondent_hash, survey_id, answered_at, dismissed_at, is_permanent)
    VALUES (?, ?, ?, ?, ?, 0)
    ON CONFLICT DO UPDATE SET
      answered_at = max(answered_at, excluded.answered_at), dismissed_at = max(dismissed_at, excluded.dismissed_at)`),
  addAsk: connection.prepare(`
    INSERT INTO asks (project_id, respondent_hash, survey_id, at, times) VALUES (?, ?, ?, ?, 1)
    ON CONFLICT DO UPDATE SET times = times + 1`),
  addRun: connection.prepare(`
    INSERT INTO runs (project_id, respondent_hash, run_hash, survey_id, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`),
  addCount: connection.prepare(`
    INSERT INTO response_counts (project_id, survey_id, responses) VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET responses = responses + 1`),
  addDismissal: connection.prepare(`
    INSERT INTO dismissals (id, project_id, survey_id, respondent_id, at, token_id) VALUES (?, ?, ?, ?, ?, ?)`),
  countComparison: connection
    .prepare<[string, Uint8Array, number], string>(
      `
      UPDATE spent_tokens SET compared = compared + 1
      WHERE project_id = ? AND token_id = ? AND kind = 'response' AND record_id IS NOT NULL AND compared < ?
      RETURNING record_id`,
    )
    .pluck(),
  answer: connection.prepare<[string], StoredAnswer>("SELECT rating, text FROM responses WHERE id = ?"),
  projectIds: connection.prepare<[], string>("SELECT id FROM projects").pluck(),
  // Along the primary key, project by project.
  forgetTokens: connection.prepare(`
    DELETE FROM spent_tokens WHERE project_id = @projectId AND token_id IN (
      SELECT token_id FROM spent_tokens WHERE project_id = @projectId AND token_id < @idsBefore LIMIT @limit
    )`),
  // Along the index of tokens that are one per run, which SQLite recognises by the first condition.
  forgetRunTokens: connection.prepare(`
    DELETE FROM spent_tokens WHERE (project_id, token_id) IN (
      SELECT project_id, token_id FROM spent_tokens WHERE token_id >= X'ffff' AND at < @runsUsedBefore
      ORDER BY at LIMIT @limit
    )`),
});

const optional = ["respondentId", "sessionId", "observationId", "taskType", "text", "identityKind"] as const;
const absent = Object.fromEntries(optional.map((name) => [name, null]));

const rowOf = ({ token, followUpRequested, traits, run, ...response }: NewResponse) => ({
  ...absent,
  ...response,
  ...token,
  followUpRequested: followUpRequested === undefined ? null : Number(followUpRequested),
  traits: traits ? JSON.stringify(traits) : null,
  run: run ? JSON.stringify(run) : null,
  scoreState: response.sessionId === undefined ? "unlinked" : "pending",
});

/** Spends tokens and stores what they were spent on, in transactions of the write queue. */
export function ledgerMethods({ connection, read, write }: Access) {
  const statements = statementsOf(connection);

  function spentTokens(projectId: string, tokenIds: readonly Uint8Array[]) {
    const asked = JSON.stringify(tokenIds.map((tokenId) => Buffer.from(tokenId).toString("hex")));
    return statements.spentBy.all({ projectId, tokenIds: asked }).map(existingRecord);
  }

  /** Writes what gating reads later. */
  function remember(record: NewRecord, kind: ExistingRecord["kind"]): void {
    const { token, respondentHash, runHash, surveyId, at, isCounted } = record;
    if (!respondentHash) return;
    const { projectId } = token;
    const [answeredAt, dismissedAt] = kind === "response" ? [at, 0] : [0, at];
    statements.suppress.run(projectId, respondentHash, surveyId, answeredAt, dismissedAt);
    if (isCounted) statements.addAsk.run(projectId, respondentHash, surveyId, at);
    if (runHash) statements.addRun.run(projectId, respondentHash, runHash, surveyId, at);
  }

  /** Never looks a token up before it writes: the unique key decides between two that come at once. */
  const spendOn = (record: NewRecord, kind: ExistingRecord["kind"], add: () => void) =>
    write((): SpendOutcome => {
      const { id, at, token } = record;
      const { projectId, tokenId, epoch } = token;
      if (statements.epochOf.get(projectId) !== epoch) return { outcome: "stale" };
      const { changes } = statements.spend.run(projectId, tokenId, kind, id, at);
      if (changes === 0) return { outcome: "spent", existing: spentTokens(projectId, [tokenId])[0]! };
      remember(record, kind);
      add();
      return { outcome: "stored" };
    });

  return {
    submit: (response) =>
      spendOn(response, "response", () => {
        statements.addResponse.run(rowOf(response));
        statements.addCount.run(response.token.projectId, response.surveyId);
      }),
    dismiss: (dismissal) =>
      spendOn(dismissal, "dismissal", () => {
        const { id, token, surveyId, respondentId, at } = dismissal;
        statements.addDismissal.run(id, token.projectId, surveyId, respondentId, at, token.tokenId);
      }),
    spentTokens: (...asked) => read(() => spentTokens(...asked)),
    answerToCompare: (...asked) =>
      write(() => {
        // Counts before it reads (decision D120).
        const id = statements.countComparison.get(...asked);
        return id === undefined ? undefined : statements.answer.get(id);
      }),
    forgetExpiredTokens: (expired, limit) =>
      write(() => {
        let forgotten = 0;
        for (const projectId of statements.projectIds.all()) {
          const rest = { ...expired, projectId, limit: limit - forgotten };
          forgotten += statements.forgetTokens.run(rest).changes;
        }
        const rest = { ...expired, limit: limit - forgotten };
        return forgotten + statements.forgetRunTokens.run(rest).changes;
      }),
  } satisfies Partial<Store>;
}

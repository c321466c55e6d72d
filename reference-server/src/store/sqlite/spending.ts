import {
  type ExistingRecord,
  type NewDismissal,
  type NewResponse,
  type SpendOutcome,
  type TokenSpend,
} from "../store.ts";
import { type Connection } from "./connection.ts";

// The hot path: statements are prepared once, and each write is a handful of them inside the shared transaction.

const epochOf = "SELECT epoch FROM projects WHERE id = ?";
const spend = `
  INSERT INTO spent_tokens (project_id, token_id, kind, record_id, at)
  SELECT id, ?, ?, ?, ? FROM projects WHERE id = ? AND epoch = ?
  ON CONFLICT DO NOTHING`;
const spentBy = "SELECT kind, record_id AS id, at FROM spent_tokens WHERE project_id = ? AND token_id = ?";
const addAsk = `
  INSERT INTO asks (project_id, respondent_hash, survey_id, at, times) VALUES (?, ?, ?, ?, 1)
  ON CONFLICT DO UPDATE SET times = times + 1`;
const countResponse = `
  INSERT INTO response_counts (project_id, survey_id, responses) VALUES (?, ?, 1)
  ON CONFLICT DO UPDATE SET responses = responses + 1`;
const addResponse = `
  INSERT INTO responses (
    id, project_id, survey_id, survey_version, respondent_id, session_id, observation_id, task_type, rating, text,
    follow_up_requested, identity_kind, traits, at, source, score_state, token_id
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'measured', ?, ?)`;
const forgetExpired = `
  DELETE FROM spent_tokens WHERE (project_id, token_id) IN (
    SELECT project_id, token_id FROM spent_tokens
    WHERE project_id IN (SELECT id FROM projects) AND token_id < ? LIMIT ?
  )`;
const addDismissal = `
  INSERT INTO dismissals (id, project_id, survey_id, respondent_id, at, token_id) VALUES (?, ?, ?, ?, ?, ?)`;

type SpentRow = { kind: ExistingRecord["kind"]; id: string | null; at: number | null };

/** Spends tokens and stores what they were spent on. Its methods run inside a transaction of the write queue. */
export class Spending {
  readonly #statements;

  constructor(connection: Connection) {
    this.#statements = {
      epochOf: connection.prepare<[string], number>(epochOf).pluck(),
      spend: connection.prepare(spend),
      spentBy: connection.prepare<[string, Uint8Array], SpentRow>(spentBy),
      addAsk: connection.prepare(addAsk),
      countResponse: connection.prepare(countResponse),
      addResponse: connection.prepare(addResponse),
      addDismissal: connection.prepare(addDismissal),
      forgetExpired: connection.prepare(forgetExpired),
    };
  }

  spentToken(projectId: string, tokenId: Uint8Array): ExistingRecord | undefined {
    const row = this.#statements.spentBy.get(projectId, tokenId);
    return row && { kind: row.kind, id: row.id ?? undefined, at: row.at ?? undefined };
  }

  submit(response: NewResponse): SpendOutcome {
    const spent = this.#spend(response, "response");
    if (spent.outcome !== "stored") return spent;
    const { projectId, tokenId } = response.token;
    this.#statements.addResponse.run(
      response.id,
      projectId,
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
      tokenId,
    );
    this.#statements.countResponse.run(projectId, response.surveyId);
    return spent;
  }

  dismiss(dismissal: NewDismissal): SpendOutcome {
    const spent = this.#spend(dismissal, "dismissal");
    if (spent.outcome !== "stored") return spent;
    const { id, token, surveyId, respondentId, at } = dismissal;
    this.#statements.addDismissal.run(id, token.projectId, surveyId, respondentId ?? null, at, token.tokenId);
    return spent;
  }

  /** Returns how many were forgotten. */
  forgetExpired(before: Uint8Array, limit: number): number {
    return this.#statements.forgetExpired.run(before, limit).changes;
  }

  /** Never reads before it writes: the unique key decides between two that come at once (decision D4). */
  #spend(record: NewDismissal, kind: ExistingRecord["kind"]): SpendOutcome {
    const { token, id, at, surveyId, respondentHash } = record;
    const { changes } = this.#statements.spend.run(token.tokenId, kind, id, at, token.projectId, token.epoch);
    if (changes === 0) return this.#refused(token);
    if (respondentHash) this.#statements.addAsk.run(token.projectId, respondentHash, surveyId, at);
    return { outcome: "stored" };
  }

  #refused({ projectId, tokenId, epoch }: TokenSpend): SpendOutcome {
    if (this.#statements.epochOf.get(projectId) !== epoch) return { outcome: "stale" };
    return { outcome: "spent", existing: this.spentToken(projectId, tokenId)! };
  }
}

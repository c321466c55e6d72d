import { type ExistingRecord, type NewDismissal, type NewResponse, type SpendOutcome } from "../store.ts";
import { type Connection } from "./connection.ts";

// The hot path: statements are prepared once, and each write is a handful of them inside the shared transaction.

const epochOf = "SELECT epoch FROM projects WHERE id = ?";
const spend = `
  INSERT INTO spent_tokens (project_id, token_id, kind, record_id, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const spentBy = "SELECT kind, record_id AS id, at FROM spent_tokens WHERE project_id = ? AND token_id = ?";
const addAsk = `
  INSERT INTO asks (project_id, respondent_hash, survey_id, at, times) VALUES (?, ?, ?, ?, 1)
  ON CONFLICT DO UPDATE SET times = times + 1`;
const countResponses = `
  INSERT INTO response_counts (project_id, survey_id, responses) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET responses = responses + excluded.responses`;
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

const stored: SpendOutcome = Object.freeze({ outcome: "stored" });

/** What several responses of one transaction have in common. */
class Round {
  readonly #epochOf: (projectId: string) => number | undefined;
  readonly #epochs = new Map<string, number | undefined>();
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(epochOf: (projectId: string) => number | undefined) {
    this.#epochOf = epochOf;
  }

  /** Nobody else changes it before the transaction ends. */
  epochOf(projectId: string): number | undefined {
    if (!this.#epochs.has(projectId)) this.#epochs.set(projectId, this.#epochOf(projectId));
    return this.#epochs.get(projectId);
  }

  count(projectId: string, surveyId: string): void {
    let bySurvey = this.#counts.get(projectId);
    if (!bySurvey) this.#counts.set(projectId, (bySurvey = new Map()));
    bySurvey.set(surveyId, (bySurvey.get(surveyId) ?? 0) + 1);
  }

  /** New responses of each survey. */
  get counts(): [projectId: string, surveyId: string, responses: number][] {
    return [...this.#counts].flatMap(([projectId, bySurvey]) =>
      [...bySurvey].map(
        ([surveyId, responses]) => [projectId, surveyId, responses] as [string, string, number],
      ),
    );
  }
}

/** Spends tokens and stores what they were spent on. Its methods run inside a transaction of the write queue. */
export class Spending {
  readonly #statements;

  constructor(connection: Connection) {
    this.#statements = {
      epochOf: connection.prepare<[string], number>(epochOf).pluck(),
      spend: connection.prepare(spend),
      spentBy: connection.prepare<[string, Uint8Array], SpentRow>(spentBy),
      addAsk: connection.prepare(addAsk),
      countResponses: connection.prepare(countResponses),
      addResponse: connection.prepare(addResponse),
      addDismissal: connection.prepare(addDismissal),
      forgetExpired: connection.prepare(forgetExpired),
    };
  }

  spentToken(projectId: string, tokenId: Uint8Array): ExistingRecord | undefined {
    const row = this.#statements.spentBy.get(projectId, tokenId);
    return row && { kind: row.kind, id: row.id ?? undefined, at: row.at ?? undefined };
  }

  /** Stores them in their order, and counts those of a survey by one statement. */
  submit(responses: readonly NewResponse[]): SpendOutcome[] {
    const round = this.#round();
    const outcomes = responses.map((response) => this.#submit(response, round));
    for (const row of round.counts) this.#statements.countResponses.run(...row);
    return outcomes;
  }

  #round(): Round {
    return new Round((projectId) => this.#statements.epochOf.get(projectId));
  }

  #submit(response: NewResponse, round: Round): SpendOutcome {
    const spent = this.#spend(response, "response", round);
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
    round.count(projectId, response.surveyId);
    return spent;
  }

  dismiss(dismissal: NewDismissal): SpendOutcome {
    const spent = this.#spend(dismissal, "dismissal", this.#round());
    if (spent.outcome !== "stored") return spent;
    const { id, token, surveyId, respondentId, at } = dismissal;
    this.#statements.addDismissal.run(id, token.projectId, surveyId, respondentId ?? null, at, token.tokenId);
    return spent;
  }

  /** Returns how many were forgotten. */
  forgetExpired(before: Uint8Array, limit: number): number {
    return this.#statements.forgetExpired.run(before, limit).changes;
  }

  /** Never looks a token up before it writes: the unique key decides between two that come at once (decision D4). */
  #spend(record: NewDismissal, kind: ExistingRecord["kind"], round: Round): SpendOutcome {
    const { token, id, at, surveyId, respondentHash } = record;
    const { projectId, tokenId, epoch } = token;
    if (round.epochOf(projectId) !== epoch) return { outcome: "stale" };
    const { changes } = this.#statements.spend.run(projectId, tokenId, kind, id, at);
    if (changes === 0) return { outcome: "spent", existing: this.spentToken(projectId, tokenId)! };
    if (respondentHash) this.#statements.addAsk.run(projectId, respondentHash, surveyId, at);
    return stored;
  }
}

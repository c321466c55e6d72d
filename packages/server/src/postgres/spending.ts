import { setTimeout as delay } from "node:timers/promises";
import { type QueryConfig } from "pg";
import {
  existingRecord,
  type ExistingRecord,
  type ExpiredTokens,
  type NewRecord,
  type NewResponse,
  type SpendOutcome,
  type SpentRow,
  type StoredAnswer,
  StoreUnavailable,
} from "@afterword/reference-server/internal";
import { type ConnectionPool } from "./connection-pool.ts";
import { execute, prepared, storable, type Connection } from "./connection.ts";

/**
 * Spends a token and stores what it was spent on, in one statement that is one transaction and one round trip. Never reads
 * before it writes: the unique key of the ledger decides between two that come at once.
 *
 * The lock on the project's row lets other submits pass and holds off an account purge until this one is committed, so that no
 * row of an old epoch comes after it. It never waits for a purge, which would occupy a connection.
 */
const spending = (kind: ExistingRecord["kind"], record: string) => `
  WITH project AS MATERIALIZED (
    SELECT id FROM projects WHERE id = $1 AND epoch = $2 FOR KEY SHARE SKIP LOCKED
  ), spent AS (
    INSERT INTO spent_tokens (project_id, token_id, kind, record_id, at)
    SELECT id, $3::bytea, '${kind}', $4, $5 FROM project
    ON CONFLICT DO NOTHING RETURNING project_id
  ), ${record}, suppressed AS (
    INSERT INTO suppression (project_id, respondent_hash, survey_id, answered_at, dismissed_at, is_permanent)
    SELECT project_id, $8::bytea, $6, ${kind === "response" ? "$5::bigint, 0" : "0, $5::bigint"}, 0
    FROM spent WHERE $8::bytea IS NOT NULL
    ON CONFLICT (project_id, respondent_hash, survey_id) DO UPDATE SET
      answered_at = greatest(suppression.answered_at, excluded.answered_at),
      dismissed_at = greatest(suppression.dismissed_at, excluded.dismissed_at)
  ), stored_ask AS (
    INSERT INTO asks (project_id, respondent_hash, at, survey_id, times)
    SELECT project_id, $8::bytea, $5::bigint, $6, 1 FROM spent WHERE $8::bytea IS NOT NULL AND $10::boolean
    ON CONFLICT (project_id, respondent_hash, at, survey_id) DO UPDATE SET times = asks.times + 1
  ), stored_run AS (
    INSERT INTO runs (project_id, respondent_hash, run_hash, survey_id, at)
    SELECT project_id, $8::bytea, $9::bytea, $6, $5::bigint FROM spent WHERE $9::bytea IS NOT NULL
    ON CONFLICT DO NOTHING
  )
  SELECT EXISTS (SELECT FROM project) AS "isCurrent", EXISTS (SELECT FROM spent) AS "isStored",
    (SELECT epoch FROM projects WHERE id = $1) AS epoch`;

interface Attempt {
  /** Whether the project has the token's epoch and is not being purged. */
  isCurrent: boolean;
  isStored: boolean;
  /** `null` when there is no such project. */
  epoch: number | null;
}

const purgePatienceInMs = 10_000;
const pauseInMs = 50;

const storeResponse = {
  name: "store-response",
  // PostgreSQL runs parts of a WITH that no other part reads in reverse order. The count comes last, because submits to
  // the same survey wait for its row until this one is committed, and an erasure locks suppression before it.
  text: spending(
    "response",
    `counted AS (
      INSERT INTO response_counts (project_id, survey_id, responses) SELECT project_id, $6, 1 FROM spent
      ON CONFLICT (project_id, survey_id) DO UPDATE SET responses = response_counts.responses + 1
    ), stored AS (
      INSERT INTO responses (
        id, project_id, survey_id, respondent_id, at, token_id, survey_version, session_id, observation_id, task_type,
        rating, text, follow_up_requested, identity_kind, traits, score_state, run, source
      )
      SELECT $4, project_id, $6, $7, $5, $3::bytea, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21::jsonb, 'measured' FROM spent
    )`,
  ),
};

const storeDismissal = {
  name: "store-dismissal",
  text: spending(
    "dismissal",
    `stored AS (
      INSERT INTO dismissals (id, project_id, survey_id, respondent_id, at, token_id)
      SELECT $4, project_id, $6, $7, $5, $3::bytea FROM spent
    )`,
  ),
};

const commonValues = ({ token, ...record }: NewRecord) => [
  token.projectId,
  token.epoch,
  token.tokenId,
  record.id,
  record.at,
  record.surveyId,
  record.respondentId,
  record.respondentHash,
  record.runHash,
  record.isCounted ?? false,
];

const responseValues = (response: NewResponse) => [
  ...commonValues(response),
  response.surveyVersion,
  response.sessionId,
  response.observationId,
  response.taskType,
  response.rating,
  response.text,
  response.followUpRequested === undefined ? undefined : Number(response.followUpRequested),
  response.identityKind,
  response.traits && JSON.stringify(response.traits),
  response.sessionId === undefined ? "unlinked" : "pending",
  response.run && JSON.stringify(response.run),
];

type Statement = QueryConfig<unknown[]>;

/** Repeats the statement until no purge keeps it from the project. Safe after a lost connection: a stored record has its id. */
async function attempt(pool: ConnectionPool, { token }: NewRecord, statement: Statement): Promise<Attempt> {
  for (let waitedInMs = 0; waitedInMs < purgePatienceInMs; waitedInMs += pauseInMs) {
    const { rows } = await pool.repeatable((connection) => prepared<Attempt>(connection, statement));
    const [outcome] = rows;
    if (outcome!.isCurrent || outcome!.epoch !== token.epoch) return outcome!;
    await delay(pauseInMs);
  }
  throw new StoreUnavailable("the project is being purged");
}

async function spend(pool: ConnectionPool, record: NewRecord, statement: Statement): Promise<SpendOutcome> {
  const { projectId, tokenId } = record.token;
  const { isCurrent, isStored } = await attempt(pool, record, statement);
  if (isStored) return { outcome: "stored" };
  if (!isCurrent) return { outcome: "stale" };
  // Only now is the commit visible that spent the token.
  const [existing] = await pool.repeatable((connection) => readSpentTokens(connection, projectId, [tokenId]));
  if (existing === undefined) throw new StoreUnavailable("the token's record was removed meanwhile");
  return existing.id === record.id ? { outcome: "stored" } : { outcome: "spent", existing };
}

export const submit = (pool: ConnectionPool, response: NewResponse): Promise<SpendOutcome> =>
  spend(pool, response, { ...storeResponse, values: responseValues(response).map(storable) });

export const dismiss = (pool: ConnectionPool, dismissal: NewRecord): Promise<SpendOutcome> =>
  spend(pool, dismissal, { ...storeDismissal, values: commonValues(dismissal).map(storable) });

const spentBy = {
  name: "spent-by",
  text: `
    SELECT spent.kind, spent.record_id AS id, spent.at, responses.rating
    FROM unnest($2::bytea[]) WITH ORDINALITY AS asked (token_id, place)
    LEFT JOIN spent_tokens AS spent ON spent.project_id = $1 AND spent.token_id = asked.token_id
    LEFT JOIN responses ON responses.id = spent.record_id
    ORDER BY asked.place`,
};

/** Looks all of them up in one statement. */
export async function readSpentTokens(
  connection: Connection,
  ...tokens: [projectId: string, tokenIds: readonly Uint8Array[]]
): Promise<(ExistingRecord | undefined)[]> {
  const { rows } = await prepared<SpentRow>(connection, { ...spentBy, values: tokens });
  return rows.map(existingRecord);
}

// Counts before it reads, so that calls at once get their turns (decision D120).
const answerOf = `
  WITH counted AS (
    UPDATE spent_tokens SET compared = compared + 1
    WHERE project_id = $1 AND token_id = $2 AND kind = 'response' AND record_id IS NOT NULL AND compared < $3
    RETURNING record_id
  )
  SELECT rating, text FROM responses WHERE id = (SELECT record_id FROM counted)`;

export const answerToCompare = async (pool: ConnectionPool, ...token: [string, Uint8Array, number]) =>
  pool.transaction(async (connection) => (await execute<StoredAnswer>(connection, answerOf, token)).rows[0]);

const forget = (expired: string) => `
  WITH expired AS MATERIALIZED (
    SELECT project_id, token_id FROM spent_tokens WHERE ${expired} FOR UPDATE SKIP LOCKED
  )
  DELETE FROM spent_tokens WHERE (project_id, token_id) IN (SELECT project_id, token_id FROM expired)`;
// Along the primary key, project by project.
const forgetTokens = forget("project_id = $1 AND token_id < $2 LIMIT $3");
// Along the index of tokens that are one per run, which PostgreSQL recognises by the first condition.
const forgetRunTokens = forget("token_id >= '\\xffff' AND at < $1 ORDER BY at LIMIT $2");

/** Nodes that do this at once take different rows. Returns how many were forgotten. */
export async function forgetExpiredTokens(
  connection: Connection,
  { idsBefore, runsUsedBefore }: ExpiredTokens,
  limit: number,
): Promise<number> {
  let left = limit;
  const projects = await connection.query<{ id: string }>("SELECT id FROM projects");
  for (const { id } of projects.rows)
    if (left > 0) left -= (await connection.query(forgetTokens, [id, idsBefore, left])).rowCount!;
  return limit - left + (await connection.query(forgetRunTokens, [runsUsedBefore, left])).rowCount!;
}

import { type ExistingRecord, type NewDismissal, type NewResponse, type SpendOutcome } from "../store.ts";
import { type Connection, storableJson } from "./connection.ts";

export type SpendRequest =
  { kind: "response"; record: NewResponse } | { kind: "dismissal"; record: NewDismissal };

/** Any number that no other program uses for locks of two numbers in the same database. */
const shardLocks = 7_236_401;

/** Rows per survey at most; as many statements can count at once without waiting for each other. */
const shards = 64;

/**
 * A query for one row: the lowest shard that no transaction counts in now, which is then this one's until it ends. A
 * shard that follows from the connection instead could be that of another one, and both would wait for each other's
 * flushes for as long as they live.
 */
const freeShard = `
  SELECT shard FROM generate_series(0, ${shards - 1}) AS shard WHERE pg_try_advisory_xact_lock(${shardLocks}, shard)
  LIMIT 1`;

/** As an expression, for a statement that has `freeShard` as its table `free`. Where all are taken, one is shared. */
const ownShard = `coalesce((SELECT shard FROM free), ${shards - 1})`;

/** What gating has to know later: tables beside the statement's own. */
const remembered = `
    suppressed AS (
      INSERT INTO suppression (project_id, respondent_hash, survey_id, answered_at, dismissed_at, is_permanent)
      SELECT project_id, decode(respondent_hash, 'hex'), survey_id,
        coalesce(max(at) FILTER (WHERE kind = 'response'), 0), coalesce(max(at) FILTER (WHERE kind = 'dismissal'), 0), 0
      FROM fresh WHERE respondent_hash IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (project_id, respondent_hash, survey_id) DO UPDATE SET
        answered_at = greatest(suppression.answered_at, excluded.answered_at),
        dismissed_at = greatest(suppression.dismissed_at, excluded.dismissed_at)
    ), stored_asks AS (
      INSERT INTO asks (project_id, respondent_hash, at, survey_id, times)
      SELECT project_id, decode(respondent_hash, 'hex'), at, survey_id, count(*)
      FROM fresh WHERE respondent_hash IS NOT NULL AND is_counted GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT (project_id, respondent_hash, at, survey_id) DO UPDATE SET times = asks.times + excluded.times
    ), stored_runs AS (
      INSERT INTO runs (project_id, respondent_hash, run_hash, survey_id, at)
      SELECT project_id, decode(respondent_hash, 'hex'), decode(run_hash, 'hex'), survey_id, min(at)
      FROM fresh WHERE run_hash IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT DO NOTHING`;

/**
 * Spends any number of tokens and stores what they were spent on, in one statement that is one transaction and one
 * round trip. Never reads before it writes: the unique key of the ledger decides between two that come at once
 * (decision D4). Tokens are spent in one order on all nodes, so that two batches cannot lock each other out.
 *
 * The lock on the project's row lets other submits pass and holds off an account purge until this one is committed, so
 * that no row of an old epoch comes after it.
 */
const spending = (waiting: string) => `
    WITH incoming AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS record (
        position integer, kind text, id text, project_id text, epoch integer, token_id text, survey_id text,
        respondent_id text, respondent_hash text, run_hash text, is_counted boolean, at bigint, survey_version integer,
        session_id text, observation_id text, task_type text, rating integer, text text, follow_up_requested smallint,
        identity_kind text, traits text, score_state text
      )
    ), living AS MATERIALIZED (
      SELECT id, epoch FROM projects WHERE id IN (SELECT project_id FROM incoming) ORDER BY id
      FOR KEY SHARE ${waiting}
    ), spent AS (
      INSERT INTO spent_tokens (project_id, token_id, kind, record_id, at)
      SELECT project_id, decode(token_id, 'hex'), kind, incoming.id, at
      FROM incoming JOIN living ON living.id = project_id AND living.epoch = incoming.epoch
      ORDER BY 1, 2
      ON CONFLICT DO NOTHING
      RETURNING record_id
    ), fresh AS MATERIALIZED (
      SELECT incoming.* FROM incoming JOIN spent ON record_id = id
    ), stored_responses AS (
      INSERT INTO responses (
        id, project_id, survey_id, survey_version, respondent_id, session_id, observation_id, task_type, rating, text,
        follow_up_requested, identity_kind, traits, at, source, score_state, token_id
      )
      SELECT id, project_id, survey_id, survey_version, respondent_id, session_id, observation_id, task_type, rating,
        text, follow_up_requested, identity_kind, traits, at, 'measured', score_state, decode(token_id, 'hex')
      FROM fresh WHERE kind = 'response' ORDER BY position
    ), stored_dismissals AS (
      INSERT INTO dismissals (id, project_id, survey_id, respondent_id, at, token_id)
      SELECT id, project_id, survey_id, respondent_id, at, decode(token_id, 'hex')
      FROM fresh WHERE kind = 'dismissal'
    ),${remembered}
    ), free AS MATERIALIZED (${freeShard}
    ), counted AS (
      INSERT INTO response_counts (project_id, survey_id, shard, responses)
      SELECT project_id, survey_id, ${ownShard}, count(*)
      FROM fresh WHERE kind = 'response' GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (project_id, survey_id, shard) DO UPDATE
      SET responses = response_counts.responses + excluded.responses
    )
    SELECT incoming.id, spent.record_id IS NOT NULL AS "isStored", living.epoch AS "lockedEpoch",
      projects.epoch AS "knownEpoch"
    FROM incoming LEFT JOIN spent ON record_id = incoming.id LEFT JOIN living ON living.id = project_id
      LEFT JOIN projects ON projects.id = project_id`;

/** Passes over projects that are being purged, so that all others go on. */
const spendOrSkip = { name: "spend-or-skip", text: spending("SKIP LOCKED") };
const spendOrWait = { name: "spend-or-wait", text: spending("") };

const spentBy = {
  name: "spent-by",
  text: "SELECT kind, record_id AS id, at FROM spent_tokens WHERE project_id = $1 AND token_id = $2",
};

interface Result {
  id: string;
  isStored: boolean;
  /** `null` when the project does not exist or is being purged. */
  lockedEpoch: number | null;
  /** `null` when the project does not exist. */
  knownEpoch: number | null;
}

const hexOf = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");

function rowOf({ kind, record }: SpendRequest, position: number) {
  const { token, respondentHash, runHash } = record;
  const row = {
    position,
    kind,
    id: record.id,
    project_id: token.projectId,
    epoch: token.epoch,
    token_id: hexOf(token.tokenId),
    survey_id: record.surveyId,
    respondent_id: record.respondentId,
    respondent_hash: respondentHash && hexOf(respondentHash),
    run_hash: runHash && hexOf(runHash),
    is_counted: record.isCounted,
    at: record.at,
  };
  if (kind === "dismissal") return row;
  return {
    ...row,
    survey_version: record.surveyVersion,
    session_id: record.sessionId,
    observation_id: record.observationId,
    task_type: record.taskType,
    rating: record.rating,
    text: record.text,
    follow_up_requested:
      record.followUpRequested === undefined ? undefined : Number(record.followUpRequested),
    identity_kind: record.identityKind,
    traits: record.traits && JSON.stringify(record.traits),
    score_state: record.sessionId === undefined ? "unlinked" : "pending",
  };
}

/** `lost`: the token is spent, and who spent it has to be looked up. `locked`: the project is being purged. */
export type Attempt = SpendOutcome | "lost" | "locked";

/** Outcomes in the order of the records. With `waits` none of them is `locked`. */
export async function spendAll(
  connection: Connection,
  spendings: readonly SpendRequest[],
  waits: boolean,
): Promise<Attempt[]> {
  const values = [storableJson(spendings.map(rowOf))];
  const { rows } = await connection.query<Result>({ ...(waits ? spendOrWait : spendOrSkip), values });
  const results = new Map(rows.map((row) => [row.id, row]));
  return spendings.map(({ record }) => outcomeOf(results.get(record.id)!, record.token.epoch));
}

function outcomeOf({ isStored, lockedEpoch, knownEpoch }: Result, epoch: number): Attempt {
  if (isStored) return { outcome: "stored" };
  if (lockedEpoch === epoch) return "lost";
  return lockedEpoch === null && knownEpoch !== null ? "locked" : { outcome: "stale" };
}

export async function readSpentToken(
  connection: Connection,
  projectId: string,
  tokenId: Uint8Array,
): Promise<ExistingRecord | undefined> {
  const values = [projectId, tokenId];
  const { rows } = await connection.query<{
    kind: ExistingRecord["kind"];
    id: string | null;
    at: number | null;
  }>({
    ...spentBy,
    values,
  });
  const row = rows[0];
  // Once the record is gone, the time that is left is for the ledger alone.
  return row && { kind: row.kind, id: row.id ?? undefined, at: (row.id && row.at) || undefined };
}

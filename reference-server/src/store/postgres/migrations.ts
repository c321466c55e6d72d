/**
 * Forward only: each entry lifts the database by one version and is never changed once released. The version stands
 * in `schema_version`. Texts that are looked up compare by their bytes, so that an index outlives an upgrade of the
 * operating system's collations.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE projects (
    id text COLLATE "C" PRIMARY KEY, name text NOT NULL, allowed_origins text NOT NULL, gating text NOT NULL,
    epoch integer NOT NULL, pepper_salt text NOT NULL, created_at bigint NOT NULL
  );

  CREATE TABLE keys (
    id text COLLATE "C" PRIMARY KEY, project_id text COLLATE "C" NOT NULL REFERENCES projects, kind text NOT NULL,
    digest text NOT NULL, publishable_key text, display text NOT NULL, managed_by text NOT NULL,
    created_at bigint NOT NULL, expires_at bigint, revoked_at bigint, last_used_at bigint
  );

  CREATE TABLE surveys (
    project_id text COLLATE "C" NOT NULL REFERENCES projects, id text COLLATE "C" NOT NULL, slug text NOT NULL,
    version integer NOT NULL, definition text NOT NULL, status text NOT NULL, maximum integer,
    managed_by text NOT NULL, deleted_at bigint,
    PRIMARY KEY (project_id, id)
  );

  CREATE TABLE directory (version bigint NOT NULL);
  INSERT INTO directory (version) VALUES (0);

  CREATE TABLE agreements (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);

  CREATE TABLE spent_tokens (
    project_id text COLLATE "C" NOT NULL, token_id bytea NOT NULL, expires_at bigint NOT NULL, kind text NOT NULL,
    record_id text COLLATE "C", at bigint,
    PRIMARY KEY (project_id, token_id)
  );
  CREATE INDEX spent_tokens_by_expiry ON spent_tokens (expires_at);

  CREATE TABLE responses (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE, project_id text COLLATE "C" NOT NULL, survey_id text COLLATE "C" NOT NULL,
    survey_version integer NOT NULL, respondent_id text COLLATE "C", session_id text, observation_id text,
    task_type text, rating integer, text text, follow_up_requested smallint, identity_kind text, traits text,
    at bigint NOT NULL, source text NOT NULL, score_state text NOT NULL, token_id bytea
  );
  CREATE INDEX responses_by_survey ON responses (project_id, survey_id, sequence);
  CREATE INDEX responses_by_respondent ON responses (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
  CREATE INDEX responses_pending ON responses (project_id, sequence) WHERE score_state = 'pending';
  CREATE INDEX responses_failed ON responses (project_id, sequence) WHERE score_state = 'failed';

  CREATE TABLE dismissals (
    id text COLLATE "C" PRIMARY KEY, project_id text COLLATE "C" NOT NULL, survey_id text COLLATE "C" NOT NULL,
    respondent_id text COLLATE "C", at bigint NOT NULL, token_id bytea NOT NULL
  );
  CREATE INDEX dismissals_by_survey ON dismissals (project_id, survey_id);
  CREATE INDEX dismissals_by_respondent ON dismissals (project_id, respondent_id);

  CREATE TABLE asks (
    project_id text COLLATE "C" NOT NULL, respondent_hash bytea NOT NULL, survey_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL, times integer NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, survey_id, at)
  );

  -- Several rows per survey, added up when read: one row would make every submit wait for the commit of the one before.
  CREATE TABLE response_counts (
    project_id text COLLATE "C" NOT NULL, survey_id text COLLATE "C" NOT NULL, shard smallint NOT NULL,
    responses bigint NOT NULL,
    PRIMARY KEY (project_id, survey_id, shard)
  );
  `,
  // Without a write-ahead log: quotas are whole again within a minute anyway. Room on each page lets rows be updated
  // in place.
  `
  CREATE UNLOGGED TABLE quotas (
    key text COLLATE "C" PRIMARY KEY, whole_again_at double precision NOT NULL
  ) WITH (fillfactor = 50);
  `,
  // The id of a token begins with the end of its life, so the ledger needs no index by that; older ids begin with the
  // moment of issue, and their tokens are refused as expired. New rows of all surveys go to one place of the new index.
  `
  ALTER TABLE spent_tokens DROP COLUMN expires_at;
  DROP INDEX responses_by_survey;
  CREATE INDEX responses_by_project ON responses (project_id, sequence, survey_id);
  `,
  // A key of an index has at most a third of a page, which a legal id can exceed: its answer was refused with 500.
  `
  DROP INDEX responses_by_respondent;
  CREATE INDEX responses_by_respondent ON responses (project_id, left(respondent_id, 256))
    WHERE respondent_id IS NOT NULL;
  DROP INDEX dismissals_by_respondent;
  CREATE INDEX dismissals_by_respondent ON dismissals (project_id, left(respondent_id, 256));
  `,
  // When data was last deleted for its age: a clock far ahead of that is not believed (decision O75).
  `
  CREATE TABLE clean_up (last_at bigint);
  INSERT INTO clean_up (last_at) VALUES (NULL);
  `,
  // Asking again (decisions O90 to O92). Which of the earlier asks were dismissals is not known: both times are the last.
  // A time at midnight is what an erasure left, so that suppression is permanent.
  `
  ALTER TABLE surveys ADD COLUMN ask_again text, ADD COLUMN unprompted smallint;

  CREATE TABLE suppression (
    project_id text COLLATE "C" NOT NULL, respondent_hash bytea NOT NULL, survey_id text COLLATE "C" NOT NULL,
    answered_at bigint NOT NULL, dismissed_at bigint NOT NULL, is_permanent smallint NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, survey_id)
  );
  INSERT INTO suppression
    SELECT project_id, respondent_hash, survey_id, max(at), max(at), bool_or(at % 86400000 = 0)::integer
    FROM asks GROUP BY 1, 2, 3;

  ALTER TABLE asks DROP CONSTRAINT asks_pkey, ADD PRIMARY KEY (project_id, respondent_hash, at, survey_id);
  CREATE INDEX asks_by_time ON asks (at);

  CREATE TABLE runs (
    project_id text COLLATE "C" NOT NULL, respondent_hash bytea NOT NULL, run_hash bytea NOT NULL,
    survey_id text COLLATE "C" NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, run_hash, survey_id)
  );
  CREATE INDEX runs_by_time ON runs (at);
  `,
  // Why scores failed, and how many were delivered in each hour (decision O119).
  `
  ALTER TABLE responses ADD COLUMN failure text;
  CREATE TABLE deliveries (
    project_id text COLLATE "C" NOT NULL, hour bigint NOT NULL, delivered bigint NOT NULL,
    PRIMARY KEY (project_id, hour)
  );
  `,
  // Pepper and cursor key of a project are sealed by the master key, which can then be rotated (decision O122). What stands
  // there is still the salt that the pepper was derived with: the first start has the master key and seals the two.
  `
  ALTER TABLE projects RENAME COLUMN pepper_salt TO secrets;
  INSERT INTO agreements
    SELECT 'master-keys', json_build_array(json_strip_nulls(json_build_object(
      'id', value, 'since', (SELECT min(created_at) FROM projects),
      'key', (SELECT value FROM agreements WHERE name = 'master-key')
    )))::text
    FROM agreements WHERE name = 'master-key-fingerprint';
  DELETE FROM agreements WHERE name IN ('master-key', 'master-key-fingerprint');
  `,
  // Which consumer of the queue keeps which score from the others, and until when (decision D122), without a
  // write-ahead log: when the database has crashed, the scores are listed to all again. How often the answer of a token was
  // compared with another one (D120). Tokens of runs, whose ids begin with no time, by their use (D121).
  `
  CREATE UNLOGGED TABLE leases (
    sequence bigint PRIMARY KEY, project_id text COLLATE "C" NOT NULL, consumer text NOT NULL, until bigint NOT NULL
  ) WITH (fillfactor = 50);

  ALTER TABLE spent_tokens ADD COLUMN compared integer NOT NULL DEFAULT 0;
  CREATE INDEX spent_run_tokens ON spent_tokens (at) WHERE token_id >= '\\xffff';
  `,
];

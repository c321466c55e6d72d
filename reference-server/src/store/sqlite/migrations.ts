/**
 * Forward only: each entry lifts the database by one version and is never changed once released. The version stands
 * in `PRAGMA user_version`.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE projects (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, allowed_origins TEXT NOT NULL, gating TEXT NOT NULL,
    epoch INTEGER NOT NULL, pepper_salt TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keys (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects, kind TEXT NOT NULL, digest TEXT NOT NULL,
    publishable_key TEXT, display TEXT NOT NULL, managed_by TEXT NOT NULL, created_at INTEGER NOT NULL,
    expires_at INTEGER, revoked_at INTEGER, last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE surveys (
    project_id TEXT NOT NULL REFERENCES projects, id TEXT NOT NULL, slug TEXT NOT NULL, version INTEGER NOT NULL,
    definition TEXT NOT NULL, status TEXT NOT NULL, maximum INTEGER, managed_by TEXT NOT NULL, deleted_at INTEGER,
    PRIMARY KEY (project_id, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE directory (version INTEGER NOT NULL) STRICT;
  INSERT INTO directory (version) VALUES (0);

  CREATE TABLE agreements (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE spent_tokens (
    project_id TEXT NOT NULL, token_id BLOB NOT NULL, expires_at INTEGER NOT NULL, kind TEXT NOT NULL,
    record_id TEXT, at INTEGER,
    PRIMARY KEY (project_id, token_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX spent_tokens_by_expiry ON spent_tokens (expires_at);

  CREATE TABLE responses (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL, survey_id TEXT NOT NULL, survey_version INTEGER NOT NULL,
    respondent_id TEXT, session_id TEXT, observation_id TEXT, task_type TEXT,
    rating INTEGER, text TEXT, follow_up_requested INTEGER, identity_kind TEXT, traits TEXT,
    at INTEGER NOT NULL, source TEXT NOT NULL, score_state TEXT NOT NULL, token_id BLOB
  ) STRICT;
  CREATE INDEX responses_by_survey ON responses (project_id, survey_id, sequence);
  CREATE INDEX responses_by_respondent ON responses (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
  CREATE INDEX responses_pending ON responses (project_id, sequence) WHERE score_state = 'pending';
  CREATE INDEX responses_failed ON responses (project_id, sequence) WHERE score_state = 'failed';

  CREATE TABLE dismissals (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, survey_id TEXT NOT NULL, respondent_id TEXT, at INTEGER NOT NULL,
    token_id BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dismissals_by_survey ON dismissals (project_id, survey_id);
  CREATE INDEX dismissals_by_respondent ON dismissals (project_id, respondent_id);

  CREATE TABLE asks (
    project_id TEXT NOT NULL, respondent_hash BLOB NOT NULL, survey_id TEXT NOT NULL, at INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, survey_id, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE response_counts (
    project_id TEXT NOT NULL, survey_id TEXT NOT NULL, responses INTEGER NOT NULL,
    PRIMARY KEY (project_id, survey_id)
  ) STRICT, WITHOUT ROWID;
  `,
  // The id of a token begins with the end of its life, so the ledger needs no index by that; older ids begin with the
  // moment of issue, and their tokens are refused as expired. New rows of all surveys go to one place of the new index.
  `
  DROP INDEX spent_tokens_by_expiry;
  ALTER TABLE spent_tokens DROP COLUMN expires_at;
  DROP INDEX responses_by_survey;
  CREATE INDEX responses_by_project ON responses (project_id, sequence, survey_id);
  `,
  // When data was last deleted for its age: a clock far ahead of that is not believed (decision O75).
  `
  CREATE TABLE clean_up (last_at INTEGER) STRICT;
  INSERT INTO clean_up (last_at) VALUES (NULL);
  `,
  // Asking again (decisions O90 to O92). Which of the earlier asks were dismissals is not known: both times are the last.
  // A time at midnight is what an erasure left, so that suppression is permanent.
  `
  ALTER TABLE surveys ADD COLUMN ask_again TEXT;
  ALTER TABLE surveys ADD COLUMN unprompted INTEGER;

  CREATE TABLE suppression (
    project_id TEXT NOT NULL, respondent_hash BLOB NOT NULL, survey_id TEXT NOT NULL, answered_at INTEGER NOT NULL,
    dismissed_at INTEGER NOT NULL, is_permanent INTEGER NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, survey_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO suppression
    SELECT project_id, respondent_hash, survey_id, max(at), max(at), max(at % 86400000 = 0) FROM asks GROUP BY 1, 2, 3;

  ALTER TABLE asks RENAME TO asks_by_survey;
  CREATE TABLE asks (
    project_id TEXT NOT NULL, respondent_hash BLOB NOT NULL, at INTEGER NOT NULL, survey_id TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, at, survey_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO asks SELECT project_id, respondent_hash, at, survey_id, times FROM asks_by_survey ORDER BY 1, 2, 3, 4;
  DROP TABLE asks_by_survey;
  CREATE INDEX asks_by_time ON asks (at);

  CREATE TABLE runs (
    project_id TEXT NOT NULL, respondent_hash BLOB NOT NULL, run_hash BLOB NOT NULL, survey_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, run_hash, survey_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_by_time ON runs (at);
  `,
  // Why scores failed, and how many were delivered in each hour (decision O119).
  `
  ALTER TABLE responses ADD COLUMN failure TEXT;
  CREATE TABLE deliveries (
    project_id TEXT NOT NULL, hour INTEGER NOT NULL, delivered INTEGER NOT NULL,
    PRIMARY KEY (project_id, hour)
  ) STRICT, WITHOUT ROWID;
  `,
  // Pepper and cursor key of a project are sealed by the master key, which can then be rotated (decision O122). What stands
  // there is still the salt that the pepper was derived with: the first start has the master key and seals the two.
  `
  ALTER TABLE projects RENAME COLUMN pepper_salt TO secrets;
  INSERT INTO agreements
    SELECT 'master-keys', json_array(json_patch('{}', json_object(
      'id', value, 'since', (SELECT min(created_at) FROM projects),
      'key', (SELECT value FROM agreements WHERE name = 'master-key')
    )))
    FROM agreements WHERE name = 'master-key-fingerprint';
  DELETE FROM agreements WHERE name IN ('master-key', 'master-key-fingerprint');
  `,
  // Which consumer of the queue keeps which score from the others, and until when (decision D122). How often the answer of
  // a token was compared with another one (D120). Tokens of runs, whose ids begin with no time, by their use (D121).
  `
  CREATE TABLE leases (
    sequence INTEGER PRIMARY KEY, project_id TEXT NOT NULL, consumer TEXT NOT NULL, until INTEGER NOT NULL
  ) STRICT;

  ALTER TABLE spent_tokens ADD COLUMN compared INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX spent_run_tokens ON spent_tokens (at) WHERE token_id >= X'ffff';
  `,
];

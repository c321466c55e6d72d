-- What a new file gets. Its version stands in `PRAGMA user_version`; migrations.ts lifts older files to it.

CREATE TABLE projects (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, allowed_origins TEXT NOT NULL, gating TEXT NOT NULL,
  epoch INTEGER NOT NULL, secrets TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects, kind TEXT NOT NULL, scopes TEXT,
  digest TEXT NOT NULL, publishable_key TEXT, display TEXT NOT NULL, managed_by TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, uses TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE surveys (
  project_id TEXT NOT NULL REFERENCES projects, id TEXT NOT NULL, slug TEXT NOT NULL, version INTEGER NOT NULL,
  definition TEXT NOT NULL, status TEXT NOT NULL, maximum INTEGER, ask_again TEXT, unprompted INTEGER,
  managed_by TEXT NOT NULL, deleted_at INTEGER, sampling TEXT,
  PRIMARY KEY (project_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE directory (version INTEGER NOT NULL) STRICT;
INSERT INTO directory (version) VALUES (0);

CREATE TABLE agreements (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE clean_up (last_at INTEGER) STRICT;
INSERT INTO clean_up (last_at) VALUES (NULL);

-- Ids begin with the end of the token's life, so the ledger needs no index by that. Those of runs begin with no time
-- and are forgotten by their use.
CREATE TABLE spent_tokens (
  project_id TEXT NOT NULL, token_id BLOB NOT NULL, kind TEXT NOT NULL, record_id TEXT, at INTEGER,
  compared INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, token_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_run_tokens ON spent_tokens (at) WHERE token_id >= X'ffff';

CREATE TABLE responses (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL, survey_id TEXT NOT NULL, survey_version INTEGER NOT NULL,
  respondent_id TEXT, session_id TEXT, observation_id TEXT, task_type TEXT,
  rating INTEGER, text TEXT, follow_up_requested INTEGER, identity_kind TEXT, traits TEXT,
  at INTEGER NOT NULL, source TEXT NOT NULL, score_state TEXT NOT NULL, failure TEXT, token_id BLOB, run TEXT
) STRICT;
-- For results and exports. With the survey in second place, new rows would go to as many pages as there are surveys.
CREATE INDEX responses_by_time ON responses (project_id, at, sequence, survey_id);
CREATE INDEX responses_by_respondent ON responses (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
CREATE INDEX responses_pending ON responses (project_id, sequence) WHERE score_state = 'pending';
CREATE INDEX responses_failed ON responses (project_id, sequence) WHERE score_state = 'failed';
-- For retention, which reads the texts that it removes.
CREATE INDEX responses_with_text ON responses (at) WHERE text IS NOT NULL;

CREATE TABLE dismissals (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL, survey_id TEXT NOT NULL, respondent_id TEXT, at INTEGER NOT NULL,
  token_id BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX dismissals_by_time ON dismissals (project_id, at, survey_id);
CREATE INDEX dismissals_by_respondent ON dismissals (project_id, respondent_id);

CREATE TABLE suppression (
  project_id TEXT NOT NULL, respondent_hash BLOB NOT NULL, survey_id TEXT NOT NULL, answered_at INTEGER NOT NULL,
  dismissed_at INTEGER NOT NULL, is_permanent INTEGER NOT NULL,
  PRIMARY KEY (project_id, respondent_hash, survey_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE asks (
  project_id TEXT NOT NULL, respondent_hash BLOB NOT NULL, at INTEGER NOT NULL, survey_id TEXT NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (project_id, respondent_hash, at, survey_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX asks_by_time ON asks (at);

CREATE TABLE runs (
  project_id TEXT NOT NULL, respondent_hash BLOB NOT NULL, run_hash BLOB NOT NULL, survey_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (project_id, respondent_hash, run_hash, survey_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_by_time ON runs (at);

CREATE TABLE response_counts (
  project_id TEXT NOT NULL, survey_id TEXT NOT NULL, responses INTEGER NOT NULL,
  PRIMARY KEY (project_id, survey_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  project_id TEXT NOT NULL, hour INTEGER NOT NULL, delivered INTEGER NOT NULL,
  PRIMARY KEY (project_id, hour)
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  sequence INTEGER PRIMARY KEY, project_id TEXT NOT NULL, consumer TEXT NOT NULL, until INTEGER NOT NULL
) STRICT;

-- Empty texts stand for none: a column of a primary key cannot be null.
CREATE TABLE run_counts (
  project_id TEXT NOT NULL, survey_id TEXT NOT NULL, day INTEGER NOT NULL, version TEXT NOT NULL,
  stratum TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (project_id, survey_id, day, version, stratum, kind, reason)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_counts_by_day ON run_counts (day);

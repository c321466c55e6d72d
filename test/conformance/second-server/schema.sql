-- Times are milliseconds since 1970 where they are compared, and the contract's text in records.
-- interaction and used_token outlive an erasure: they hold no personal data, and know people by a keyed hash.
CREATE TABLE IF NOT EXISTS project (id TEXT PRIMARY KEY, purges INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS survey (
  project TEXT, id TEXT, slug TEXT NOT NULL, version INTEGER NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (project, id));
CREATE TABLE IF NOT EXISTS response (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, project TEXT NOT NULL, survey TEXT NOT NULL,
  version INTEGER NOT NULL, respondent TEXT, rating INTEGER NOT NULL, text TEXT, follow_up INTEGER,
  at TEXT NOT NULL, identity_kind TEXT, traits TEXT, task_type TEXT, session TEXT, observation TEXT,
  state TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS response_by_person ON response (project, respondent);
CREATE INDEX IF NOT EXISTS response_by_survey ON response (project, survey);
CREATE INDEX IF NOT EXISTS response_in_queue ON response (project, seq) WHERE state IN ('pending', 'failed');
CREATE TABLE IF NOT EXISTS dismissal (
  id TEXT PRIMARY KEY, project TEXT NOT NULL, survey TEXT NOT NULL, respondent TEXT, at TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS dismissal_by_person ON dismissal (project, respondent);
CREATE TABLE IF NOT EXISTS interaction (
  project TEXT NOT NULL, survey TEXT NOT NULL, respondent BLOB NOT NULL, at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS interaction_by_person ON interaction (project, respondent);
CREATE TABLE IF NOT EXISTS used_token (
  id TEXT PRIMARY KEY, project TEXT NOT NULL, kind TEXT NOT NULL, record TEXT NOT NULL, forget INTEGER NOT NULL,
  conflicts INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS used_token_to_forget ON used_token (forget);

-- A database of version 2, as the server made and filled it; never changed.
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

CREATE UNLOGGED TABLE quotas (
  key text COLLATE "C" PRIMARY KEY, whole_again_at double precision NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE schema_version (version integer NOT NULL);
INSERT INTO schema_version VALUES (2);

INSERT INTO projects VALUES ('kept', 'Kept', '["https://app.example"]', '{"monthlyCap":2}', 3, '00ff', 1700000000000);
INSERT INTO keys VALUES
  ('key-1', 'kept', 'secret', 'digest', NULL, 'aw_sk_…wxyz', 'command', 1700000000000, NULL, NULL, 1700000000001);
INSERT INTO surveys VALUES
  ('kept', 'survey-1', 'after-task', 4, '{"id":"survey-1","slug":"after-task","type":"csat","question":"How was it?","presentation":"corner","trigger":"auto"}', 'active', 100, 'command', NULL);
UPDATE directory SET version = 9;
INSERT INTO agreements VALUES ('master-key-fingerprint', '0123456789abcdef');
INSERT INTO spent_tokens VALUES
  ('kept', '\x000102030405060708090a0b0c0d0e0f', 4000000000000, 'response', 'response-1', 1700000000002);
INSERT INTO responses (
  id, project_id, survey_id, survey_version, respondent_id, session_id, rating, text, follow_up_requested, traits, at,
  source, score_state, token_id
) VALUES
  ('response-1', 'kept', 'survey-1', 4, 'ada', 'session-1', 5, 'Good.', 1, '{"plan":"pro"}', 1700000000002,
    'measured', 'pending', '\x000102030405060708090a0b0c0d0e0f');
INSERT INTO asks VALUES ('kept', convert_to('ada#############', 'UTF8'), 'survey-1', 1700000000002, 1);
INSERT INTO response_counts VALUES ('kept', 'survey-1', 7, 1);

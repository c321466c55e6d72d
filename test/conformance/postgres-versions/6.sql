-- What version 6 had beyond version 5; never changed.
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

UPDATE schema_version SET version = 6;

-- What version 3 had beyond version 2; never changed.
ALTER TABLE spent_tokens DROP COLUMN expires_at;
DROP INDEX responses_by_survey;
CREATE INDEX responses_by_project ON responses (project_id, sequence, survey_id);

UPDATE schema_version SET version = 3;

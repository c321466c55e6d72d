-- What version 4 had beyond version 3; never changed.
DROP INDEX responses_by_respondent;
CREATE INDEX responses_by_respondent ON responses (project_id, left(respondent_id, 256))
  WHERE respondent_id IS NOT NULL;
DROP INDEX dismissals_by_respondent;
CREATE INDEX dismissals_by_respondent ON dismissals (project_id, left(respondent_id, 256));

UPDATE schema_version SET version = 4;

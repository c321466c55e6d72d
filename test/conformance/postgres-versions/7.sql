-- What version 7 had beyond version 6; never changed.
ALTER TABLE responses ADD COLUMN failure text;
CREATE TABLE deliveries (
  project_id text COLLATE "C" NOT NULL, hour bigint NOT NULL, delivered bigint NOT NULL,
  PRIMARY KEY (project_id, hour)
);

UPDATE schema_version SET version = 7;

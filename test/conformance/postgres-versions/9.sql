-- What version 9 had beyond version 8; never changed.
CREATE UNLOGGED TABLE leases (
  sequence bigint PRIMARY KEY, project_id text COLLATE "C" NOT NULL, consumer text NOT NULL, until bigint NOT NULL
) WITH (fillfactor = 50);

ALTER TABLE spent_tokens ADD COLUMN compared integer NOT NULL DEFAULT 0;
CREATE INDEX spent_run_tokens ON spent_tokens (at) WHERE token_id >= '\xffff';

UPDATE schema_version SET version = 9;

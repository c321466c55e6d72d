-- What version 2 had beyond version 1; never changed.
CREATE UNLOGGED TABLE quotas (
  key text COLLATE "C" PRIMARY KEY, whole_again_at double precision NOT NULL
) WITH (fillfactor = 50);

UPDATE schema_version SET version = 2;

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Forward only: each entry lifts a file by one version, from 1 on, and is never changed once released. */
export const migrations: readonly string[] = [
  `
  ALTER TABLE responses ADD COLUMN run TEXT;
  ALTER TABLE surveys ADD COLUMN sampling TEXT;

  -- Empty texts stand for none: a column of a primary key cannot be null.
  CREATE TABLE run_counts (
    project_id TEXT NOT NULL, survey_id TEXT NOT NULL, day INTEGER NOT NULL, version TEXT NOT NULL,
    stratum TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (project_id, survey_id, day, version, stratum, kind, reason)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX run_counts_by_day ON run_counts (day);
  `,
];

/** The version of `schema.sql`. */
export const schemaVersion = migrations.length + 1;

/** The text of `schema.sql`, which lies beside this file, and beside the bundle of a package. */
export const schema = (): string => readFileSync(join(import.meta.dirname, "schema.sql"), "utf8");

import { openConnection } from "./connection.ts";

/** Makes a database as the first version left it. */
export function makeVersion1(path: string): void {
  const connection = openConnection(path);
  connection.exec(`
    DROP TABLE run_counts;
    ALTER TABLE responses DROP COLUMN run;
    ALTER TABLE surveys DROP COLUMN sampling;
    PRAGMA user_version = 1`);
  connection.close();
}

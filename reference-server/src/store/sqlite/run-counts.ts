import { type RunCount } from "../store.ts";
import { type Connection } from "./connection.ts";

export function addRunCounts(connection: Connection, counts: readonly RunCount[]): void {
  const add = connection.prepare(`
    INSERT INTO run_counts (project_id, survey_id, day, version, stratum, kind, reason, count)
    VALUES (@projectId, @surveyId, @day, @version, @stratum, @kind, @reason, @count)
    ON CONFLICT DO UPDATE SET count = count + excluded.count`);
  for (const one of counts) add.run(one);
}

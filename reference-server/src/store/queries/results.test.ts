import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TallyKey } from "../results.ts";
import { openConnection } from "../sqlite/connection.ts";
import { runWork } from "../sqlite/run-work.ts";
import { resultsReader, type Parts } from "./results.ts";

const hourInMs = 3_600_000;

let folder: string;
const closings: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "afterword-results-"));
});
afterEach(() => {
  for (const close of closings.splice(0)) close();
  rmSync(folder, { recursive: true });
});

/** Responses of two projects in turns, so that a project's sequence has gaps. */
function answered(count: number) {
  const connection = openConnection(join(folder, `${closings.length}.db`));
  closings.push(() => connection.close());
  const add = connection.prepare(`
    INSERT INTO responses (id, project_id, survey_id, survey_version, task_type, rating, at, source, score_state)
    VALUES (?, ?, 's', ?, ?, ?, ?, 'measured', 'unlinked')`);
  for (let index = 0; index < count; index++) {
    const taskType = index % 3 === 0 ? null : `task ${index % 3}`;
    for (const project of ["mine", "other"])
      add.run(`${project} ${index}`, project, index % 2, taskType, index % 5, index * 7 * hourInMs);
  }
  return (parts?: Parts) => resultsReader(async (work) => runWork(connection, work), parts);
}

describe("a tally in parts", () => {
  it.each([1, 4, 10, 11, 100])("counts what one reading counts, %i responses at a time", async (rows) => {
    const reader = answered(10);
    const groups: TallyKey[] = ["none", "taskType", "week", "surveyVersion", "identityKind", "hourOfWeek"];
    for (const by of groups) {
      const selection = { projectId: "mine", since: 7 * hourInMs };
      const whole = await reader().tally(selection, by);
      expect(whole.length).toBeGreaterThan(0);
      const inParts = await reader({ rows, pause: async () => undefined }).tally(selection, by);
      const inOrder = (rowsOfTally: object[]) => rowsOfTally.map((row) => JSON.stringify(row)).sort();
      expect(inOrder(inParts)).toEqual(inOrder(whole));
    }
  });

  it("rests between two parts, and not after the last", async () => {
    let pauses = 0;
    const pause = async () => void pauses++;
    await answered(10)({ rows: 4, pause }).tally({ projectId: "mine" }, "none");
    expect(pauses).toBe(2);
    await answered(4)({ rows: 4, pause }).tally({ projectId: "mine" }, "none");
    expect(pauses).toBe(2);
  });

  it("of no responses is empty", async () => {
    expect(
      await answered(0)({ rows: 4, pause: async () => undefined }).tally({ projectId: "mine" }, "none"),
    ).toEqual([]);
  });
});

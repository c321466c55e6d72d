import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TallyKey } from "../results.ts";
import { openConnection } from "../sqlite/connection.ts";
import { QueryConnection } from "../sqlite/query-connection.ts";
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
function answered(count: number, at = (index: number) => index * 7 * hourInMs) {
  const connection = openConnection(join(folder, `${closings.length}.db`));
  closings.push(() => connection.close());
  const add = connection.prepare(`
    INSERT INTO responses (id, project_id, survey_id, survey_version, task_type, rating, at, source, score_state)
    VALUES (?, ?, 's', ?, ?, ?, ?, 'measured', 'unlinked')`);
  for (let index = 0; index < count; index++) {
    const taskType = index % 3 === 0 ? null : `task ${index % 3}`;
    for (const project of ["mine", "other"])
      add.run(`${project} ${index}`, project, index % 2, taskType, index % 5, at(index));
  }
  const own = new QueryConnection(connection);
  return (parts: Parts) => resultsReader((work) => own.read(work), parts);
}

describe("a tally in parts", () => {
  it.each([1, 4, 10, 11])("counts what one part counts, %i responses at a time", async (rows) => {
    const reader = answered(10);
    const pause = async () => undefined;
    const groups: TallyKey[] = ["none", "taskType", "week", "surveyVersion", "identityKind", "hourOfWeek"];
    for (const by of groups) {
      const selection = { projectId: "mine", since: 7 * hourInMs };
      const whole = await reader({ rows: 100, pause }).tally(selection, by);
      expect(whole.length).toBeGreaterThan(0);
      const inParts = await reader({ rows, pause }).tally(selection, by);
      const inOrder = (rowsOfTally: object[]) => rowsOfTally.map((row) => JSON.stringify(row)).sort();
      expect(inOrder(inParts)).toEqual(inOrder(whole));
    }
  });

  it("counts answers of the same millisecond once, more than a part has", async () => {
    const reader = answered(10, () => 5);
    const tally = await reader({ rows: 3, pause: async () => undefined }).tally(
      { projectId: "mine" },
      "none",
    );
    expect(tally.reduce((sum, { count }) => sum + count, 0)).toBe(10);
  });

  it("reads its period alone", async () => {
    let parts = 0;
    const reader = answered(100)({ rows: 4, pause: async () => void parts++ });
    const period = { since: 90 * 7 * hourInMs, until: 96 * 7 * hourInMs };
    await reader.tally({ projectId: "mine", ...period }, "none");
    expect(parts).toBe(1);
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

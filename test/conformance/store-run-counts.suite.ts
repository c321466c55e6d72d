import { describe, expect, it } from "vitest";
import { type OperatedStore as Store } from "@afterword/server/internal";
import { addProject, noon, type OpenedStore } from "./store-world.ts";

type RunCount = Parameters<Store["addRunCounts"]>[0][number];
type Selection = { since?: number; until?: number; surveyIds?: string[] };

const dayInMs = 24 * 3_600_000;
const midnight = noon - dayInMs / 2;

/** What became of runs, in numbers. */
export function runCountsSuite(opened: () => OpenedStore): void {
  const store = () => opened().store;
  const count = (projectId: string, fields: Partial<RunCount> = {}): RunCount => ({
    projectId,
    surveyId: "survey-1",
    day: midnight,
    version: "",
    stratum: "",
    kind: "run",
    reason: "",
    count: 1,
    ...fields,
  });
  const read = (projectId: string, selection: Selection = {}) =>
    store().administration.readResults((reader) => reader.runCounts({ projectId, ...selection }));
  const total = async (projectId: string, selection?: Selection) =>
    (await read(projectId, selection)).reduce((sum, tally) => sum + tally.count, 0);

  describe("counts of runs", () => {
    it("are read of some surveys, and from the day of a moment to before another", async () => {
      const project = await addProject(store());
      const days = [-1, 0, 1].map((day) => count(project, { day: midnight + day * dayInMs }));
      await store().addRunCounts([...days, count(project, { surveyId: "survey-2", count: 10 })]);
      expect(await total(project, { surveyIds: ["survey-1"] })).toBe(3);
      expect(await total(project, { surveyIds: ["survey-1"], since: noon })).toBe(2);
      expect(await total(project, { surveyIds: ["survey-1"], until: noon })).toBe(2);
      expect(await total(project, { surveyIds: ["survey-1"], until: midnight })).toBe(1);
    });

    it("lose none when two nodes add to the same ones, however many they are", async () => {
      const project = await addProject(store());
      const other = await opened().reopen();
      const many = Array.from({ length: 2500 }, (_, number) => count(project, { version: `${number}` }));
      await Promise.all([store().addRunCounts(many), other.addRunCounts(many.toReversed())]);
      await other.close();
      expect(await total(project)).toBe(5000);
    });

    it("of a survey go with its purge, but none of days later than what a repeated one erases", async () => {
      const project = await addProject(store());
      await store().addRunCounts([count(project), count(project, { surveyId: "survey-2" })]);
      const ofSurvey = { projectId: project, surveyIds: ["survey-1"] };
      await store().erase({ ...ofSurvey, storedUntil: midnight - 1 });
      expect(await total(project)).toBe(2);
      await store().erase(ofSurvey);
      expect((await read(project)).map(({ surveyId }) => surveyId)).toEqual(["survey-2"]);
    });

    it("are forgotten by their day, some at a time", async () => {
      const project = await addProject(store());
      const days = [0, 1, 2, 3].map((year) => count(project, { day: year * 365 * dayInMs }));
      await store().addRunCounts(days);
      const rule = { runCountsForgotten: 3 * 365 * dayInMs };
      const steps = [1, 2, 3].map(() => () => store().administration.retain(rule, 2));
      const forgotten = [];
      for (const step of steps) forgotten.push((await step()).runCountsForgotten);
      expect([forgotten, await total(project)]).toEqual([[2, 1, 0], 1]);
    });
  });
}

import { describe, expect, it } from "vitest";
import { addProject, exportOf, hashOf, idsOf, response, token, type OpenedStore } from "./store-world.ts";

/** What a store may do together, and must answer apart. */
export function batchesSuite(opened: () => OpenedStore): void {
  const store = () => opened().store;

  /** Four: a valid one, one with a spent token, one from before a purge, and one without a respondent. */
  async function mixed(project: string, count: number) {
    const spent = response(project);
    await store().submit(spent);
    const kinds = [
      { expected: "stored", make: (index: number) => respondedBy(project, `r${index}`) },
      { expected: "spent", make: () => response(project, { token: spent.token }) },
      { expected: "stale", make: () => response(project, { token: token(project, 7) }) },
      { expected: "stored", make: () => response(project, { respondentId: undefined }) },
    ];
    const all = Array.from({ length: count }, (_, index) => {
      const { expected, make } = kinds[index % kinds.length]!;
      return { expected, one: make(index) };
    });
    return { spent, all };
  }

  const respondedBy = (project: string, respondentId: string) =>
    response(project, { respondentId, respondentHash: hashOf(respondentId), surveyId: `of-${respondentId}` });

  describe("answers that come at once", () => {
    it.each([1, 4, 16, 17, 63, 101])("are each told what became of it, were there %i", async (count) => {
      const project = await addProject(store());
      const { spent, all } = await mixed(project, count);
      const outcomes = await Promise.all(all.map(({ one }) => store().submit(one)));
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(all.map(({ expected }) => expected));
      const winners = outcomes.flatMap((outcome) =>
        outcome.outcome === "spent" ? [outcome.existing.id] : [],
      );
      expect(winners.every((id) => id === spent.id)).toBe(true);
      const added = all.filter(({ expected }) => expected === "stored").map(({ one }) => one);
      const { rows } = await exportOf(store(), { projectId: project });
      expect(idsOf(rows).toSorted()).toEqual(idsOf([spent, ...added]).toSorted());
    });

    it("count for the respondent and the survey of each, and no others", async () => {
      const project = await addProject(store());
      const { all } = await mixed(project, 40);
      await Promise.all(all.map(({ one }) => store().submit(one)));
      const named = all.filter(
        ({ one, expected }) => expected === "stored" && one.respondentId !== undefined,
      );
      expect(named).toHaveLength(10);
      for (const { one } of named) {
        const facts = await store().askFacts(project, {
          respondentHash: one.respondentHash,
          countedSurveyIds: [one.surveyId],
        });
        expect(facts.suppression).toMatchObject([
          { surveyId: one.surveyId, answeredAt: one.at, dismissedAt: 0 },
        ]);
        expect(facts.responseCounts.get(one.surveyId)).toBe(1);
      }
    });
  });
}

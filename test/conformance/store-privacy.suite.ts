import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  addProject,
  dismissal,
  exportOf,
  hashOf,
  idsOf,
  linked,
  response,
  type OpenedStore,
} from "./store-world.ts";

/** Export, erase and purge. */
export function privacySuite(opened: () => OpenedStore): void {
  const store = () => opened().store;
  const ada = { id: "ada", hash: hashOf("ada") };

  /** Two respondents and an unknown person, over two surveys. */
  const fill = async (projectId: string) => {
    const rows = {
      adaOnA: linked(projectId, { surveyId: "a", text: "of ada" }),
      adaOnB: linked(projectId, { surveyId: "b" }),
      graceOnA: linked(projectId, { surveyId: "a", respondentId: "grace" }),
      nobodyOnB: response(projectId, { surveyId: "b", respondentId: undefined }),
    };
    for (const row of Object.values(rows)) await store().submit(row);
    const closed = dismissal(projectId, { surveyId: "c" });
    await store().dismiss(closed);
    return { ...rows, closed };
  };

  describe("an export", () => {
    it("has each response once, also where more than a page of them are of one moment", async () => {
      const project = await addProject(store());
      const imported = (at: number) => ({
        id: randomUUID(),
        at,
        projectId: project,
        surveyId: "a",
        surveyVersion: 1,
      });
      const rows = Array.from({ length: 1400 }, (_, index) => ({
        ...imported(index < 100 ? 200 - index : 300),
        respondentId: "imp_ada",
        rating: 3,
      }));
      await store().administration.importResponses(rows);
      const inOrder = idsOf([...rows.slice(0, 100).reverse(), ...rows.slice(100)]);
      expect(idsOf((await exportOf(store(), { projectId: project })).rows)).toEqual(inOrder);
      const ofPerson = { projectId: project, respondentIds: ["imp_ada"] };
      expect(idsOf((await exportOf(store(), ofPerson)).rows)).toEqual(inOrder);
    });

    it("stays one snapshot while others write and erase", async () => {
      const project = await addProject(store());
      const { adaOnA, adaOnB, graceOnA, nobodyOnB } = await fill(project);
      await using snapshot = await store().openExport({ projectId: project });
      await store().submit(response(project));
      await Promise.race([store().erase({ projectId: project, respondents: [ada] }), store().ping()]);
      const rows = [];
      for await (const page of snapshot.pages()) rows.push(...page);
      expect(snapshot.count).toBe(4);
      expect(idsOf(rows)).toEqual(idsOf([adaOnA, adaOnB, graceOnA, nobodyOnB]));
    });
  });

  describe("erasing a respondent", () => {
    it("lowers the counts that a survey's maximum is held against", async () => {
      const project = await addProject(store());
      await fill(project);
      await store().erase({ projectId: project, respondents: [ada] });
      const { responseCounts } = await store().askFacts(project, { countedSurveyIds: ["a", "b"] });
      expect([responseCounts.get("a"), responseCounts.get("b")]).toEqual([1, 1]);
    });

    it("keeps a person whose id has the same first 600 characters", async () => {
      const project = await addProject(store());
      const [gone, stays] = ["1", "2"].map((end) => "a👍".repeat(300) + end) as [string, string];
      for (const respondentId of [gone, stays]) await store().submit(response(project, { respondentId }));
      await store().erase({ projectId: project, respondents: [{ id: gone, hash: hashOf("gone") }] });
      for (const [id, count] of [
        [gone, 0],
        [stays, 1],
      ] as const) {
        expect((await exportOf(store(), { projectId: project, respondentIds: [id] })).count).toBe(count);
      }
    });

    it("up to a moment leaves what was stored after it", async () => {
      const project = await addProject(store());
      const { adaOnA, adaOnB } = await fill(project);
      await store().erase({ projectId: project, respondents: [ada], storedUntil: adaOnA.at });
      const { rows } = await exportOf(store(), { projectId: project, respondentIds: ["ada"] });
      expect(idsOf(rows)).toEqual([adaOnB.id]);
    });
  });

  describe("purging", () => {
    it("leaves no row of the old epoch behind, however many submits are on their way", async () => {
      const project = await addProject(store());
      const other = await opened().reopen();
      const submits = Array.from({ length: 100 }, (_, index) =>
        (index % 2 ? store() : other).submit(response(project)).catch((error: Error) => error),
      );
      await store().erase({ projectId: project, secrets: "ff" });
      await Promise.all(submits);
      expect((await exportOf(store(), { projectId: project })).count).toBe(0);
      expect((await store().askFacts(project, { respondentHash: ada.hash })).suppression).toEqual([]);
      await other.close();
    });
  });
}

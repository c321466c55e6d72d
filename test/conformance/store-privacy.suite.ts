import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  acks,
  type Acknowledgements,
  addProject,
  dismissal,
  exportOf,
  hashOf,
  idsOf,
  linked,
  pageOf,
  response,
  token,
  type OpenedStore,
} from "./store-world.ts";

/** Export, erase and purge. */
export function privacySuite(opened: () => OpenedStore): void {
  const store = () => opened().store;
  const ada = { id: "ada", hash: hashOf("ada") };
  const grace = { id: "grace", hash: hashOf("grace") };

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
    it("has every response of the project in the order of their times, counted beforehand", async () => {
      const [project, foreign] = [await addProject(store()), await addProject(store())];
      const { adaOnA, adaOnB, graceOnA, nobodyOnB } = await fill(project);
      await fill(foreign);
      const { count, rows } = await exportOf(store(), { projectId: project });
      expect(count).toBe(4);
      expect(idsOf(rows)).toEqual(idsOf([adaOnA, adaOnB, graceOnA, nobodyOnB]));
    });

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

    it("is narrowed to respondents, to surveys, or to both", async () => {
      const project = await addProject(store());
      const { adaOnA, adaOnB, graceOnA } = await fill(project);
      const of = async (selection: object) =>
        idsOf((await exportOf(store(), { projectId: project, ...selection })).rows);
      expect(await of({ respondentIds: ["ada"] })).toEqual(idsOf([adaOnA, adaOnB]));
      expect(await of({ respondentIds: ["ada", "grace"], surveyIds: ["a"] })).toEqual(
        idsOf([adaOnA, graceOnA]),
      );
      expect(await of({ surveyIds: ["no-such-survey"] })).toEqual([]);
      expect(await of({ respondentIds: ["ada\0", "ad%", "ADA"] })).toEqual([]);
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

    it("comes whole over many pages", async () => {
      const project = await addProject(store());
      const many = Array.from({ length: 1203 }, (_, index) =>
        response(project, { surveyId: `survey-${index % 3}` }),
      );
      await Promise.all(many.map((one) => store().submit(one)));
      const { count, rows } = await exportOf(store(), { projectId: project });
      expect(count).toBe(1203);
      expect(new Set(idsOf(rows)).size).toBe(1203);
    });

    it("has them in that order whatever became of their scores, from one page to the next", async () => {
      const project = await addProject(store());
      const all = Array.from({ length: 510 }, (_, index) =>
        (index % 4 ? linked : response)(project, { surveyId: index % 3 ? "a" : "b" }),
      );
      for (const one of all) await store().submit(one);
      const results = new Map() as Acknowledgements;
      for (const [index, { id }] of all.entries()) {
        if (index % 4 > 1) results.set(id, { state: index % 4 === 2 ? "delivered" : "failed" });
      }
      expect(await store().acknowledge(project, results, 0)).toBe(results.size);
      const { count, rows } = await exportOf(store(), { projectId: project });
      expect(count).toBe(all.length);
      expect(idsOf(rows)).toEqual(idsOf(all));
      const narrowed = await exportOf(store(), { projectId: project, surveyIds: ["b"] });
      expect(narrowed.count).toBe(170);
      expect(idsOf(narrowed.rows)).toEqual(idsOf(all.filter(({ surveyId }) => surveyId === "b")));
    });

    it("may be closed at any time, and more than once", async () => {
      const project = await addProject(store());
      const many = Array.from({ length: 600 }, () => response(project));
      await Promise.all(many.map((one) => store().submit(one)));
      const snapshot = await store().openExport({ projectId: project });
      const { value: firstPage } = await snapshot.pages()[Symbol.asyncIterator]().next();
      expect(firstPage.length).toBeGreaterThan(0);
      await snapshot.close();
      await snapshot.close();
      expect((await exportOf(store(), { projectId: project })).count).toBe(600);
    });
  });

  describe("erasing a respondent", () => {
    it("removes responses, dismissals and queue rows, and keeps that they were asked", async () => {
      const project = await addProject(store());
      const { adaOnA, graceOnA, nobodyOnB } = await fill(project);
      const counts = await store().erase({ projectId: project, respondents: [ada] });
      expect(counts).toEqual({ responsesDeleted: 2, dismissalsDeleted: 1, suppressionRetained: 3 });
      expect(idsOf((await exportOf(store(), { projectId: project })).rows)).toEqual(
        idsOf([graceOnA, nobodyOnB]),
      );
      expect(idsOf(await pageOf(store(), project))).toEqual([graceOnA.id]);
      expect(await store().acknowledge(project, acks([adaOnA.id], "delivered"), 0)).toBe(0);
      const { suppression } = await store().askFacts(project, { respondentHash: ada.hash });
      expect(suppression.map(({ surveyId }) => surveyId).toSorted()).toEqual(["a", "b", "c"]);
    });

    it("keeps their tokens spent, without a record", async () => {
      const project = await addProject(store());
      const { adaOnA, closed } = await fill(project);
      await store().erase({ projectId: project, respondents: [ada] });
      for (const { token: spent } of [adaOnA, closed]) {
        const again = await store().submit(response(project, { token: spent }));
        expect(again).toMatchObject({ outcome: "spent", existing: { id: undefined, at: undefined } });
      }
    });

    it("twice finds nothing more, and unknown people have no rows", async () => {
      const project = await addProject(store());
      await fill(project);
      await store().erase({ projectId: project, respondents: [ada] });
      const again = await store().erase({ projectId: project, respondents: [ada] });
      expect(again).toEqual({ responsesDeleted: 0, dismissalsDeleted: 0, suppressionRetained: 3 });
      const unknown = await store().erase({
        projectId: project,
        respondents: [{ id: "bob", hash: hashOf("bob") }],
      });
      expect(unknown).toEqual({ responsesDeleted: 0, dismissalsDeleted: 0, suppressionRetained: 0 });
    });

    it("lowers the counts that a survey's maximum is held against", async () => {
      const project = await addProject(store());
      await fill(project);
      await store().erase({ projectId: project, respondents: [ada] });
      const { responseCounts } = await store().askFacts(project, { countedSurveyIds: ["a", "b"] });
      expect([responseCounts.get("a"), responseCounts.get("b")]).toEqual([1, 1]);
    });

    it("within one survey leaves the others", async () => {
      const project = await addProject(store());
      const { adaOnB } = await fill(project);
      const counts = await store().erase({ projectId: project, respondents: [ada, grace], surveyIds: ["a"] });
      expect(counts).toEqual({ responsesDeleted: 2, dismissalsDeleted: 0, suppressionRetained: 2 });
      const { rows } = await exportOf(store(), { projectId: project, respondentIds: ["ada"] });
      expect(idsOf(rows)).toEqual([adaOnB.id]);
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
    it("a survey removes its records for everybody, and keeps suppression", async () => {
      const project = await addProject(store());
      const { adaOnB, nobodyOnB } = await fill(project);
      const counts = await store().erase({ projectId: project, surveyIds: ["a"] });
      expect(counts).toEqual({ responsesDeleted: 2, dismissalsDeleted: 0, suppressionRetained: 2 });
      expect(idsOf((await exportOf(store(), { projectId: project })).rows)).toEqual(
        idsOf([adaOnB, nobodyOnB]),
      );
    });

    it("a project removes everything, suppression too, and makes older tokens stale", async () => {
      const [project, foreign] = [await addProject(store()), await addProject(store())];
      await fill(project);
      await fill(foreign);
      const before = await store().directoryVersion();
      const counts = await store().purgeProject({ projectId: project, secrets: "ff" });
      expect(counts).toEqual({ responsesDeleted: 4, dismissalsDeleted: 1, suppressionRetained: 0 });
      expect((await exportOf(store(), { projectId: project })).count).toBe(0);
      expect(
        await store().askFacts(project, { respondentHash: ada.hash, countedSurveyIds: ["a"] }),
      ).toMatchObject({ suppression: [] });
      expect(await store().submit(response(project))).toEqual({ outcome: "stale" });
      expect(await store().submit(response(project, { token: token(project, 2) }))).toEqual({
        outcome: "stored",
      });
      expect(await store().directoryVersion()).toBeGreaterThan(before);
      const stored = (await store().readDirectory()).find(({ id }) => id === project);
      expect(stored).toMatchObject({ epoch: 2, secrets: "ff" });
      expect((await exportOf(store(), { projectId: foreign })).count).toBe(4);
    });

    it("leaves no row of the old epoch behind, however many submits are on their way", async () => {
      const project = await addProject(store());
      const other = await opened().reopen();
      const submits = Array.from({ length: 100 }, (_, index) =>
        (index % 2 ? store() : other).submit(response(project)).catch((error: Error) => error),
      );
      await store().purgeProject({ projectId: project, secrets: "ff" });
      await Promise.all(submits);
      expect((await exportOf(store(), { projectId: project })).count).toBe(0);
      expect((await store().askFacts(project, { respondentHash: ada.hash })).suppression).toEqual([]);
      await other.close();
    });
  });
}

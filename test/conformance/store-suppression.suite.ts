import { describe, expect, it } from "vitest";
import { addProject, dismissal, hashOf, noon, response, type OpenedStore } from "./store-world.ts";

const dayInMs = 24 * 60 * 60_000;
const ada = { id: "ada", hash: hashOf("ada") };
const run = (name: string) => Buffer.from(name.padEnd(16, "#"));

/** What is kept of people's earlier answers under their hashes. */
export function suppressionSuite(opened: () => OpenedStore): void {
  const store = () => opened().store;
  const factsOf = async (projectId: string, runHash?: Uint8Array, mostAsks = 10) => {
    const facts = await store().askFacts(projectId, { respondentHash: ada.hash, runHash, mostAsks });
    const suppression = facts.suppression.toSorted((one, two) => (one.surveyId < two.surveyId ? -1 : 1));
    return { ...facts, suppression };
  };

  describe("suppression", () => {
    it("has the last answer and the last dismissal of each survey, of the respondent and no other", async () => {
      const [project, foreign] = [await addProject(store()), await addProject(store())];
      const [late, early] = [
        response(project, { surveyId: "a", at: noon + 9 }),
        response(project, { surveyId: "a", at: noon }),
      ];
      const [closed, other] = [dismissal(project, { surveyId: "a" }), dismissal(project, { surveyId: "b" })];
      for (const one of [late, early, response(foreign)]) await store().submit(one);
      for (const one of [closed, other]) await store().dismiss(one);
      await store().submit(response(project, { respondentId: "grace" }));
      await store().submit(response(project, { respondentId: undefined }));
      const { suppression } = await factsOf(project);
      expect(suppression).toEqual([
        { surveyId: "a", answeredAt: noon + 9, dismissedAt: closed.at, isPermanent: false },
        { surveyId: "b", answeredAt: 0, dismissedAt: other.at, isPermanent: false },
      ]);
      expect((await store().askFacts(project, {})).suppression).toEqual([]);
    });

    it("stays one row for each survey, however often it is answered, and asks are told up to a number", async () => {
      const project = await addProject(store());
      const many = Array.from({ length: 300 }, (_, index) =>
        response(project, { at: noon + index, isCounted: true, runHash: run(`run ${index}`) }),
      );
      await Promise.all(many.map((one) => store().submit(one)));
      const { suppression, asks, surveyIdsOfRun } = await factsOf(project, run("run 7"), 3);
      expect(suppression).toHaveLength(1);
      expect(asks.map(({ at }) => at)).toEqual([noon + 299, noon + 298, noon + 297]);
      expect([...surveyIdsOfRun]).toEqual(["survey-1"]);
    });

    it("knows runs and counted asks only of records that say so, and both of a batch", async () => {
      const project = await addProject(store());
      const same = { at: noon, isCounted: true, runHash: run("one") };
      const one = response(project, same);
      await Promise.all([
        store().submit(one),
        // Its token is spent by then.
        store().submit(one),
        store().submit(response(project, same)),
        store().dismiss(dismissal(project, { ...same, surveyId: "closed" })),
        store().submit(response(project, { surveyId: "plain" })),
        store().submit(response(project, { respondentId: "grace", runHash: run("two") })),
      ]);
      const facts = await factsOf(project, run("one"));
      expect(facts.asks.toSorted((one, two) => one.times - two.times)).toEqual([
        { surveyId: "closed", at: noon, times: 1 },
        { surveyId: "survey-1", at: noon, times: 2 },
      ]);
      expect([...facts.surveyIdsOfRun].toSorted()).toEqual(["closed", "survey-1"]);
      expect((await factsOf(project, run("two"))).surveyIdsOfRun.size).toBe(0);
      expect((await factsOf(project)).surveyIdsOfRun.size).toBe(0);
    });
  });

  /** Ada on two surveys in one run, and Grace on one. */
  const fill = async (project: string) => {
    const of = { isCounted: true, runHash: run("one") };
    await store().submit(response(project, { ...of, surveyId: "a", at: noon }));
    await store().submit(response(project, { ...of, surveyId: "a", at: noon + 1 }));
    await store().dismiss(dismissal(project, { ...of, surveyId: "b", at: noon - dayInMs }));
    await store().submit(response(project, { ...of, surveyId: "a", respondentId: "grace" }));
  };
  const midnight = noon - (noon % dayInMs);

  describe("suppression after an erasure", () => {
    it("of the person is permanent, knows days, and no run", async () => {
      const project = await addProject(store());
      await fill(project);
      const { suppressionRetained } = await store().erase({ projectId: project, respondents: [ada] });
      expect(suppressionRetained).toBe(2);
      const { suppression, asks, surveyIdsOfRun } = await factsOf(project, run("one"));
      expect(suppression).toEqual([
        { surveyId: "a", answeredAt: midnight, dismissedAt: 0, isPermanent: true },
        { surveyId: "b", answeredAt: 0, dismissedAt: midnight - dayInMs, isPermanent: true },
      ]);
      expect(asks).toEqual([
        { surveyId: "a", at: midnight, times: 2 },
        { surveyId: "b", at: midnight - dayInMs, times: 1 },
      ]);
      expect(surveyIdsOfRun.size).toBe(0);
      const grace = { respondentHash: hashOf("grace"), runHash: run("one") };
      const facts = await store().askFacts(project, grace);
      expect(facts.suppression).toMatchObject([{ surveyId: "a", isPermanent: false }]);
      expect(facts.surveyIdsOfRun.size).toBe(1);
      await store().submit(response(project, { surveyId: "a", at: noon + 5 }));
      const [after] = (await factsOf(project)).suppression;
      expect(after).toMatchObject({ surveyId: "a", answeredAt: noon + 5, isPermanent: true });
    });

    it("up to a moment leaves surveys that were asked after it as they are", async () => {
      const project = await addProject(store());
      await fill(project);
      await store().erase({ projectId: project, respondents: [ada], storedUntil: noon - 1 });
      const { suppression, asks, surveyIdsOfRun } = await factsOf(project, run("one"));
      expect(suppression.map(({ surveyId, isPermanent }) => [surveyId, isPermanent])).toEqual([
        ["a", false],
        ["b", true],
      ]);
      expect(asks.map(({ at }) => at)).toEqual([noon + 1, noon, midnight - dayInMs]);
      expect([...surveyIdsOfRun]).toEqual(["a"]);
    });

    it("of a survey keeps its times and is not permanent; its runs go", async () => {
      const project = await addProject(store());
      await fill(project);
      const before = await factsOf(project);
      expect((await store().erase({ projectId: project, surveyIds: ["a"] })).suppressionRetained).toBe(2);
      const after = await factsOf(project, run("one"));
      expect([after.suppression, after.asks]).toEqual([before.suppression, before.asks]);
      expect([...after.surveyIdsOfRun]).toEqual(["b"]);
    });
  });

  describe("retention of asks and runs", () => {
    it("forgets those of an earlier time in steps of its limit, and no suppression", async () => {
      const project = await addProject(store());
      // Before everything else that the suite has stored.
      const at = (index: number) => Date.UTC(1980, 0, 1) + index;
      for (let index = 0; index < 4; index++) {
        const of = { at: at(index), isCounted: true, runHash: run(`run ${index}`) };
        await store().submit(response(project, of));
      }
      const rule = { asksForgotten: at(3), runsForgotten: at(1) };
      const step = () => store().administration.retain(rule, 2);
      const counts = [await step(), await step(), await step()];
      expect(counts.map(({ asksForgotten, runsForgotten }) => [asksForgotten, runsForgotten])).toEqual([
        [2, 1],
        [1, 0],
        [0, 0],
      ]);
      const { suppression, asks } = await factsOf(project);
      expect([suppression.length, asks.map((one) => one.at)]).toEqual([1, [at(3)]]);
      const known = [0, 1, 2, 3].map(
        async (index) => (await factsOf(project, run(`run ${index}`))).surveyIdsOfRun.size,
      );
      expect(await Promise.all(known)).toEqual([0, 1, 1, 1]);
    });
  });

  describe("a report about a person", () => {
    it("tells suppression, asks and runs, and of no other respondent", async () => {
      const project = await addProject(store());
      await fill(project);
      const { suppression, asks, runs } = await store().administration.subjectRecords(project, [ada]);
      expect(suppression.map(({ surveyId }) => surveyId)).toEqual(["a", "b"]);
      expect(asks.map(({ times }) => times)).toEqual([1, 1, 1]);
      expect(runs).toEqual([
        { surveyId: "b", at: noon - dayInMs },
        { surveyId: "a", at: noon },
      ]);
    });
  });
}

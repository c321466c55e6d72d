import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  acks,
  addProject,
  collected,
  dismissal,
  exportOf,
  hashOf,
  idsOf,
  linked,
  noon,
  pageOf,
  response,
  token,
  type OpenedStore,
} from "./store-world.ts";

/** What commands and scheduled work need. */
export function administrationSuite(opened: () => OpenedStore): void {
  const store = () => opened().store;
  const administration = () => store().administration;

  const imported = (projectId: string, fields = {}) => ({
    id: randomUUID(),
    at: noon,
    projectId,
    surveyId: "survey-1",
    surveyVersion: 1,
    respondentId: "imp_ada",
    rating: 3,
    ...fields,
  });

  describe("imported responses", () => {
    it("are exported as imported, counted, and never in the queue", async () => {
      const project = await addProject(store());
      const one = imported(project, { text: "from\0elsewhere 👍", traits: { plan: "free" } });
      expect(await administration().importResponses([one, imported(project)])).toBe(2);
      const { rows } = await exportOf(store(), { projectId: project, respondentIds: ["imp_ada"] });
      expect(rows[0]).toMatchObject({ id: one.id, source: "imported", traits: '{"plan":"free"}', rating: 3 });
      expect(await pageOf(store(), project, { includeFailed: true })).toEqual([]);
      const { responseCounts } = await store().askFacts(project, { countedSurveyIds: ["survey-1"] });
      expect(responseCounts.get("survey-1")).toBe(2);
    });

    it("that are there already are left as they are, so that an import can be run again", async () => {
      const project = await addProject(store());
      const [one, two] = [imported(project), imported(project)];
      await administration().importResponses([one]);
      expect(await administration().importResponses([{ ...one, rating: 5 }, two])).toBe(1);
      const { count, rows } = await exportOf(store(), { projectId: project });
      expect(count).toBe(2);
      expect(rows.find(({ id }) => id === one.id)?.rating).toBe(3);
      const { responseCounts } = await store().askFacts(project, { countedSurveyIds: ["survey-1"] });
      expect(responseCounts.get("survey-1")).toBe(2);
      expect(await administration().importResponses([])).toBe(0);
    });
  });

  describe("measured answers", () => {
    it("come in the order of their times, page by page, with what is known of the run", async () => {
      const project = await addProject(store());
      const count = 600;
      const many = Array.from({ length: count }, (_, index) =>
        response(project, {
          at: noon + (index < 550 ? 0 : 1),
          respondentId: `person-${index}`,
          run: { version: "2.4", stratum: "failed", facts: { steps: 3 } },
        }),
      );
      await Promise.all(many.map((one) => store().submit(one)));
      await store().submit(response(project, { at: noon - 1, respondentId: "early" }));
      await store().submit(response(project, { surveyId: "survey-2" }));
      await administration().importResponses([imported(project, { at: noon + 1 })]);
      const read = (since: number) =>
        collected(administration().measuredAnswers({ projectId: project, surveyId: "survey-1", since }));
      const all = await read(noon - 1);
      const times = all.map(({ at }) => at);
      expect(all).toHaveLength(count + 1);
      expect(all[0]).toMatchObject({ at: noon - 1, respondentId: "early", version: undefined });
      expect(all[1]).toMatchObject({ at: noon, version: "2.4", stratum: "failed" });
      expect(new Set(all.map(({ respondentId }) => respondentId)).size).toBe(count + 1);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(await read(noon + 1)).toHaveLength(50);
    });

    it("are found among many of another survey, between which other work has its turn", async () => {
      const project = await addProject(store());
      const others = Array.from({ length: 12_000 }, (_, index) =>
        imported(project, { surveyId: "survey-2", at: noon + Math.max(0, index - 6000) }),
      );
      await administration().importResponses(others);
      const times = [noon - 1, noon, noon + 3000, noon + 9000];
      for (const at of times) await store().submit(response(project, { at, respondentId: `${at}` }));
      let turns = 0;
      const count = () => {
        turns += 1;
        turn = setImmediate(count);
      };
      let turn = setImmediate(count);
      const selection = { projectId: project, surveyId: "survey-1", since: 0 };
      const found = await collected(administration().measuredAnswers(selection));
      clearImmediate(turn);
      expect(found.map(({ at }) => at)).toEqual(times);
      expect(turns).toBeGreaterThan(2);
    });
  });

  describe("results", () => {
    const hourInMs = 3_600_000;
    const monday = Date.UTC(2026, 10, 16);

    /** Two answers in one week and one at the end of the week before. */
    async function answered(): Promise<string> {
      const project = await addProject(store());
      const add = (fields: object) => store().submit(linked(project, { token: token(project), ...fields }));
      await add({ at: monday, rating: 5, taskType: "refund", text: "first", sessionId: "s1" });
      await add({ at: monday + 25 * hourInMs, rating: 5, identityKind: "known" });
      await add({ at: monday - 1, rating: 2, surveyVersion: 2, text: "earlier" });
      await store().dismiss(dismissal(project, { at: monday + hourInMs / 2 - 1 }));
      await administration().importResponses([imported(project, { at: monday })]);
      return project;
    }

    it("are the answers of a selection, with their dismissals by quarter of an hour", async () => {
      const project = await answered();
      await administration().readResults(async (reader) => {
        const ratings = async (selection: object) => {
          const parts = await collected(reader.answers({ projectId: project, ...selection }, []));
          return parts
            .flat()
            .map(([, mark]) => mark % 16)
            .sort();
        };
        expect(await ratings({})).toEqual([2, 3, 5, 5]);
        expect(await ratings({ measuredOnly: true })).toEqual([2, 5, 5]);
        expect(await ratings({ since: monday, until: monday + 1 })).toEqual([3, 5]);
        expect(await ratings({ surveyIds: ["survey-2"] })).toEqual([]);
        expect(await reader.dismissals({ projectId: project })).toEqual([
          { surveyId: "survey-1", at: monday + hourInMs / 4, count: 1 },
        ]);
        expect(await reader.dismissals({ projectId: project, since: monday + hourInMs / 2 })).toEqual([]);
        expect(await reader.dismissals({ projectId: project, until: monday })).toEqual([]);
      });
    });

    it("come in parts, however many there are", async () => {
      const project = await addProject(store());
      const answers = Array.from({ length: 12_000 }, () => imported(project, { id: randomUUID() }));
      await administration().importResponses(answers);
      await administration().readResults(async (reader) => {
        const parts = await collected(reader.answers({ projectId: project }, ["taskType"]));
        expect(parts.length).toBeGreaterThan(2);
        expect(parts.flat()).toHaveLength(12_000);
      });
    });

    it("have the latest texts of each survey, lowest rating first", async () => {
      const project = await answered();
      const texts = (selection: object) =>
        administration().readResults(async (reader) =>
          (await reader.comments({ projectId: project, limit: 9, ...selection })).map(({ text }) => text),
        );
      expect(await texts({})).toEqual(["earlier", "first"]);
      expect(await texts({ since: monday })).toEqual(["first"]);
      expect(await texts({ limit: 1 })).toEqual(["first"]);
    });

    it("are read from one state, whatever is stored meanwhile", async () => {
      const project = await answered();
      await administration().readResults(async (reader) => {
        const read = () => collected(reader.answers({ projectId: project }, []));
        const before = await read();
        await store().submit(linked(project, { token: token(project), rating: 1 }));
        expect(await read()).toEqual(before);
      });
    });
  });

  describe("the records of a subject", () => {
    it("are everything under any of the identities, in the order in which they were stored", async () => {
      const project = await addProject(store());
      const answer = linked(project, {
        text: "mine",
        followUpRequested: true,
        traits: { a: 1 },
        taskType: "t",
        identityKind: "anon-device",
      });
      const closed = dismissal(project, { surveyId: "survey-2" });
      await store().submit(answer);
      await store().dismiss(closed);
      await store().submit(response(project, { respondentId: "grace" }));
      await administration().importResponses([imported(project)]);
      const identities = ["ada", "imp_ada"].map((id) => ({ id, hash: hashOf(id) }));
      const records = await administration().subjectRecords(project, identities);
      expect(records.responses.map(({ source }) => source)).toEqual(["measured", "imported"]);
      expect(records.responses[0]).toEqual({
        failure: null,
        id: answer.id,
        surveyId: "survey-1",
        surveyVersion: 1,
        respondentId: "ada",
        rating: 4,
        text: "mine",
        followUpRequested: true,
        identityKind: "anon-device",
        traits: '{"a":1}',
        run: null,
        taskType: "t",
        sessionId: "session-1",
        observationId: null,
        at: answer.at,
        source: "measured",
        scoreState: "pending",
      });
      // Missing values are null.
      const unknown = { followUpRequested: null, identityKind: null, taskType: null, sessionId: null };
      expect(records.responses[1]).toMatchObject({ ...unknown, scoreState: "unlinked" });
      expect(records.dismissals).toEqual([
        { id: closed.id, surveyId: "survey-2", respondentId: "ada", at: closed.at },
      ]);
      expect(records.suppression.map(({ surveyId }) => surveyId)).toEqual(["survey-1", "survey-2"]);
    });

    it("of all respondents are found by their ids", async () => {
      const project = await addProject(store());
      // The last two are alike for longer than an index may look.
      const alike = "👍".repeat(600);
      const names = ["b", "a", "Z", "é", "👍", "z", "\uffee", "_", `${alike}b`, `${alike}a`];
      for (const respondentId of names) await store().submit(response(project, { respondentId }));
      await store().dismiss(dismissal(project, { respondentId: "a" }));
      await store().dismiss(dismissal(project, { respondentId: "only-dismissed" }));
      await store().submit(response(project, { respondentId: undefined }));
      const found = await administration().respondentIds(project);
      expect(found.toSorted()).toEqual([...names, "only-dismissed"].toSorted());
    });
  });

  describe("retention", () => {
    /** Ids sort by time; these are far older than any other record of the suite. */
    const old = (index: number) => `0000000${index}-${randomUUID().slice(9)}`;
    const before = 0x5_0000;

    it("removes records with older ids, keeps their tokens spent and their surveys' counts", async () => {
      const project = await addProject(store());
      const [aged, fresh] = [linked(project, { id: old(1) }), linked(project)];
      const closed = dismissal(project, { id: old(2) });
      await store().submit(aged);
      await store().submit(fresh);
      await store().dismiss(closed);
      const rule = { responsesDeleted: before, dismissalsDeleted: before };
      const counts = await administration().retain(rule, 100);
      expect(counts).toMatchObject({ responsesDeleted: 1, dismissalsDeleted: 1, textsRemoved: 0 });
      expect(idsOf((await exportOf(store(), { projectId: project })).rows)).toEqual([fresh.id]);
      expect(await store().spentTokens(project, [aged.token.tokenId])).toEqual([{ kind: "response" }]);
      const { suppression, responseCounts } = await store().askFacts(project, {
        respondentHash: hashOf("ada"),
        countedSurveyIds: ["survey-1"],
      });
      expect(suppression).toHaveLength(1);
      expect(responseCounts.get("survey-1")).toBe(2);
    });

    it("looks for the kinds of its rule alone", async () => {
      const project = await addProject(store());
      await store().submit(response(project, { id: old(1) }));
      await store().dismiss(dismissal(project, { id: old(2) }));
      const none = { responsesDeleted: 0, dismissalsDeleted: 0 };
      const step = (rule: object) => administration().retain(rule, 100);
      expect(await step({})).toMatchObject(none);
      expect(await step({ dismissalsDeleted: before })).toMatchObject({ ...none, dismissalsDeleted: 1 });
      expect(await step({ responsesDeleted: before })).toMatchObject({ ...none, responsesDeleted: 1 });
    });

    it("takes texts off older responses, in steps that each remove as many as there are, and leaves their ratings", async () => {
      const project = await addProject(store());
      const longAgo = Date.UTC(2001, 0, 1);
      const aged = [0, 1, 2].map((at) => response(project, { at: longAgo + at, text: "long ago" }));
      const plain = response(project, { at: longAgo });
      const [edge, fresh] = [longAgo + 10, noon].map((at) => response(project, { at, text: "kept" }));
      for (const one of [...aged, plain, edge!, fresh!]) await store().submit(one);
      const step = () => administration().retain({ textsRemoved: longAgo + 10 }, 2);
      const removed = [await step(), await step(), await step()];
      expect(removed.map(({ textsRemoved }) => textsRemoved)).toEqual([2, 1, 0]);
      const { rows } = await exportOf(store(), { projectId: project });
      expect(new Map(rows.map(({ id, text }) => [id, text]))).toEqual(
        new Map([
          ...[...aged, plain].map(({ id }) => [id, null] as const),
          ...[edge!, fresh!].map(({ id }) => [id, "kept"] as const),
        ]),
      );
    });
  });

  describe("retention of failed scores", () => {
    it("takes the texts off older ones, in steps, and off no others", async () => {
      const project = await addProject(store());
      const aged = (index: number, text?: string) =>
        linked(project, { id: `0000000${index}-${randomUUID().slice(9)}`, text });
      const [failed, failedToo, silent, pending, delivered] = [
        aged(1, "refused"),
        aged(2, "refused too"),
        aged(3),
        aged(4, "waits"),
        aged(4, "arrived"),
      ];
      const fresh = linked(project, { text: "refused today" });
      for (const one of [failed, failedToo, silent, pending, delivered, fresh]) await store().submit(one);
      const refused = acks(idsOf([failed, failedToo, silent, fresh]), "failed");
      await store().acknowledge(project, new Map([...refused, ...acks([delivered.id], "delivered")]), 0);
      const step = () => administration().retain({ failedTextsRemoved: 0x5_0000 }, 1);
      const removed = [await step(), await step(), await step()];
      expect(removed.map(({ failedTextsRemoved }) => failedTextsRemoved)).toEqual([1, 1, 0]);
      const { rows } = await exportOf(store(), { projectId: project });
      expect(new Map(rows.map(({ id, text }) => [id, text]))).toEqual(
        new Map([
          [failed.id, null],
          [failedToo.id, null],
          [silent.id, null],
          [pending.id, "waits"],
          [delivered.id, "arrived"],
          [fresh.id, "refused today"],
        ]),
      );
      await administration().retain({ responsesDeleted: 0x5_0000 }, 100);
    });
  });

  describe("the time of the last clean-up", () => {
    it("is unknown before the first, and then what was recorded last, for every process", async () => {
      expect(await administration().lastCleanUp()).toBeUndefined();
      const at = Date.parse("2026-11-22T12:34:56.789Z");
      for (const time of [at + 5, at]) await administration().recordCleanUp(time);
      const other = await opened().reopen();
      expect(await other.administration.lastCleanUp()).toBe(at);
      await other.close();
    });

    it("is compared with the database's own clock where that is another machine's", async () => {
      const before = Date.now();
      const now = (await administration().now?.()) ?? before;
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(Date.now());
    });

    it("is when counts of deliveries that are older than 30 days go", async () => {
      const project = await addProject(store());
      const [one, other] = [linked(project), linked(project)];
      for (const score of [one, other]) await store().submit(score);
      const hour = 3_600_000;
      await store().acknowledge(project, acks([one.id], "delivered"), noon);
      await store().acknowledge(project, acks([other.id], "delivered"), noon + hour);
      await administration().recordCleanUp(noon + 30 * 24 * hour + 1);
      const { deliveries } = await administration().readResults((reader) => reader.queue(project, 0));
      expect(deliveries).toEqual([{ hour: noon + hour, delivered: 1 }]);
    });
  });

  describe("an inspection", () => {
    it("names what it looked at and finds a fresh database good, or says what to do", async () => {
      const findings = await administration().inspect();
      expect(findings.length).toBeGreaterThan(4);
      for (const { isGood, advice } of findings) expect(advice === undefined).toBe(isGood);
    });
  });
}

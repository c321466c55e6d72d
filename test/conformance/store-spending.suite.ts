import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  addProject,
  exportOf,
  hashOf,
  linked,
  pageOf,
  response,
  token,
  type OpenedStore,
} from "./store-world.ts";

/** Spending tokens, and what gating reads afterwards. */
export function spendingSuite(opened: () => OpenedStore): void {
  const store = () => opened().store;
  const forget = (idsBefore: Uint8Array, limit: number) =>
    store().forgetExpiredTokens({ idsBefore, runsUsedBefore: 0 }, limit);

  describe("a token", () => {
    it("spends once when many tokens come crosswise from two connections", async () => {
      const project = await addProject(store());
      const other = await opened().reopen();
      const tokens = Array.from({ length: 60 }, () => token(project));
      const forth = tokens.map((one) => store().submit(response(project, { token: one })));
      const back = tokens.toReversed().map((one) => other.submit(response(project, { token: one })));
      const outcomes = await Promise.all([...forth, ...back]);
      expect(outcomes.filter(({ outcome }) => outcome === "stored")).toHaveLength(60);
      expect((await exportOf(store(), { projectId: project })).count).toBe(60);
      await other.close();
    });

    it("is another one in another project, were its id the same", async () => {
      const [one, two] = [await addProject(store()), await addProject(store())];
      const first = response(one);
      const second = response(two, { token: { ...first.token, projectId: two } });
      expect(await store().submit(first)).toEqual({ outcome: "stored" });
      expect(await store().submit(second)).toEqual({ outcome: "stored" });
    });

    it("that is one per run is forgotten by its use, though its record is erased, and not by its id", async () => {
      const project = await addProject(store());
      const usedAt = (at: number) => {
        const tokenId = Buffer.concat([Buffer.from("ffff", "hex"), randomBytes(14)]);
        return response(project, { at, token: { ...token(project), tokenId } });
      };
      const day = 86_400_000;
      const [early, erased, late] = [usedAt(day), usedAt(2 * day + 1), usedAt(4 * day)];
      for (const one of [early, erased, late]) await store().submit(one);
      await store().erase({ projectId: project, surveyIds: [early.surveyId], storedUntil: 3 * day });
      const idsBefore = Buffer.alloc(16);
      const left = async () => {
        const tokenIds = [early, erased, late].map(({ token }) => token.tokenId);
        const spent = await store().spentTokens(project, tokenIds);
        return spent.map((one) => one && (one.id ?? "erased"));
      };
      const forget = (runsUsedBefore: number, limit = 10) =>
        store().forgetExpiredTokens({ idsBefore, runsUsedBefore }, limit);
      expect([await forget(day), await left()]).toEqual([0, ["erased", "erased", late.id]]);
      expect([await forget(4 * day, 1), await left()]).toEqual([1, [undefined, "erased", late.id]]);
      expect([await forget(4 * day), await left()]).toEqual([1, [undefined, undefined, late.id]]);
    });

    it("is forgotten once it has expired for good, and not before", async () => {
      const project = await addProject(store());
      const endingAt = (end: number) => ({ ...token(project), tokenId: Buffer.alloc(16, end) });
      const early = response(project, { token: endingAt(1) });
      const late = response(project, { token: endingAt(2) });
      await Promise.all([store().submit(early), store().submit(late)]);
      expect(await forget(late.token.tokenId, 10)).toBe(1);
      const tokenIds = [early, late].map(({ token }) => token.tokenId);
      expect(await store().spentTokens(project, tokenIds)).toMatchObject([undefined, { id: late.id }]);
      expect((await exportOf(store(), { projectId: project })).count).toBe(2);
    });

    it("is forgotten in steps, which tell by a smaller number that nothing is left", async () => {
      const projects = [await addProject(store()), await addProject(store())];
      const expired = (project: string, index: number) =>
        response(project, { token: { ...token(project), tokenId: Buffer.alloc(16, index) } });
      const spent = projects.flatMap((project) => [1, 2, 3].map((index) => expired(project, index)));
      const before = Buffer.alloc(16, 9);
      await forget(before, 1000);
      await Promise.all(spent.map((one) => store().submit(one)));
      const counts = [];
      do counts.push(await forget(before, 4));
      while (counts.at(-1) === 4);
      expect(counts).toEqual([4, 2]);
      for (const { token } of spent) {
        expect(await store().spentTokens(token.projectId, [token.tokenId])).toEqual([undefined]);
      }
    });
  });

  describe("a response", () => {
    it("comes back as it was stored, to the last character", async () => {
      const project = await addProject(store());
      const words = "Größe 👍🏽 \u202e \\u0041 'quoted' \"twice\" {1,NULL} line\nbreak \t é e\u0301 𝄞";
      const full = linked(project, {
        text: words,
        respondentId: words,
        respondentHash: hashOf("words"),
        surveyVersion: 7,
        rating: 0,
        followUpRequested: false,
        identityKind: "anon-device",
        traits: { "plan": "pro", "a key": [1, 2.5, null, true, { deep: words }] },
        sessionId: "s".repeat(256),
        observationId: "o",
        taskType: "refund",
        run: {
          version: words.slice(0, 20),
          facts: { outcome: "failed", steps: 3 },
          samplingProbability: 0.1,
        },
      });
      await store().submit(full);
      const { rows } = await exportOf(store(), { projectId: project });
      // Databases may write JSON in their own way.
      expect(rows.map((row) => ({ ...row, run: JSON.parse(row.run!) as object }))).toEqual([
        {
          id: full.id,
          surveyId: "survey-1",
          surveyVersion: 7,
          respondentId: words,
          sessionId: full.sessionId,
          observationId: "o",
          taskType: "refund",
          rating: 0,
          text: words,
          followUpRequested: false,
          at: full.at,
          source: "measured",
          traits: JSON.stringify(full.traits),
          run: full.run,
        },
      ]);
      expect(await pageOf(store(), project)).toMatchObject([
        {
          id: full.id,
          sessionId: full.sessionId,
          observationId: "o",
          taskType: "refund",
          text: words,
          rating: 0,
        },
      ]);
    });
  });

  describe("what gating decides on", () => {
    it.each([
      ["an erasure", (projectId: string) => store().erase({ projectId, surveyIds: ["a"] })],
      ["a purge", (projectId: string) => store().erase({ projectId, secrets: "01" })],
    ])("counts what %s leaves, though answers were on their way with it", async (_, erase) => {
      const project = await addProject(store());
      const submit = () => store().submit(response(project, { surveyId: "a" }));
      await Promise.all([submit(), submit(), erase(project), submit(), submit()]);
      const { responseCounts } = await store().askFacts(project, { countedSurveyIds: ["a"] });
      const { rows } = await exportOf(store(), { projectId: project });
      expect(responseCounts.get("a") ?? 0).toBe(rows.length);
    });
  });
}

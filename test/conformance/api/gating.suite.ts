import { dayInMs } from "@afterword/protocol/duration";
import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

export function gatingSuite(suite: SuiteApi) {
  describe("gating", () => {
    /** Surveys that both bootstrap and mint give tokens for; they must agree. */
    const askable = async (projectId: string, userId: string): Promise<string[]> => {
      const client = suite.client(projectId);
      const [bootstrap, mint] = [await client.bootstrap(userId), await client.mint({ respondentId: userId })];
      expect([bootstrap.status, mint.status]).toEqual([200, 200]);
      const surveys = Object.keys(bootstrap.json.showTokens ?? {}).sort();
      expect(Object.keys(mint.json.tokens).sort()).toEqual(surveys);
      expect(mint.json.suppression).toEqual(bootstrap.json.suppression);
      return surveys;
    };

    it("the quiet period begins with any answer and ends to the millisecond", async () => {
      const userId = suite.newPerson();
      await suite.client("quiet").answer("q1", userId);
      expect(await askable("quiet", userId)).toEqual([]);
      suite.world.clock.advance(30 * dayInMs - 1);
      expect(await askable("quiet", userId)).toEqual([]);
      suite.world.clock.advance(1);
      expect(await askable("quiet", userId)).toEqual(["q2"]);
    });

    it("the monthly cap counts answers and dismissals of 30 rolling days", async () => {
      const client = suite.client("capped");
      const userId = suite.newPerson();
      await client.answer("c1", userId);
      expect(await askable("capped", userId)).toEqual(["c2", "c3"]);
      suite.world.clock.advance(10 * dayInMs);
      await client.dismiss({ showToken: await client.unboundToken("c2", userId), surveyId: "c2", userId });
      expect(await askable("capped", userId)).toEqual([]);
      suite.world.clock.advance(20 * dayInMs - 1);
      expect(await askable("capped", userId)).toEqual([]);
      suite.world.clock.advance(1);
      expect(await askable("capped", userId)).toEqual(["c3"]);
    });

    it("the monthly cap counts two answers to one survey twice", async () => {
      const client = suite.client("capped");
      const userId = suite.newPerson();
      const tokens = [await client.unboundToken("c1", userId), await client.unboundToken("c1", userId)];
      for (const showToken of tokens) await client.submit({ showToken, surveyId: "c1", rating: 1 });
      expect(await askable("capped", userId)).toEqual([]);
    });

    it("a full survey gets no tokens; its own maximum overrides the project's; overshoot is accepted", async () => {
      const client = suite.client("full");
      const before = (await client.bootstrap(suite.newPerson())).json.showTokens;
      await client.answer("f1", suite.newPerson());
      expect(await askable("full", suite.newPerson())).toEqual(["f2"]);
      await client.answer("f2", suite.newPerson());
      expect(await askable("full", suite.newPerson())).toEqual(["f2"]);
      await client.answer("f2", suite.newPerson());
      expect(await askable("full", suite.newPerson())).toEqual([]);
      expect((await client.bootstrap()).json.showTokens).toEqual({});
      expect((await client.submit({ showToken: before.f1, surveyId: "f1", rating: 1 })).status).toBe(201);
    });
  });
}

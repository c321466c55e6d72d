import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

const dayInMs = 24 * 3_600_000;

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

    it("bootstrap lists active surveys only, as they were defined", async () => {
      const { json } = await suite.client("plain").bootstrap();
      expect(json.surveys.map(({ id }: { id: string }) => id).sort()).toEqual(["ces", "csat", "nps", "pmf"]);
      expect(json.surveys[0]).not.toHaveProperty("status");
      expect(json.surveys[0]).not.toHaveProperty("maximum");
    });

    it("without a userId gives every token and no suppression", async () => {
      const { json } = await suite.client("quiet").bootstrap();
      expect(Object.keys(json.showTokens).sort()).toEqual(["q1", "q2"]);
      expect(json.suppression).toEqual([]);
    });

    it("an answered survey is suppressed for exactly that respondent id and no other", async () => {
      const userId = suite.newPerson();
      await suite.client("plain").answer("nps", userId);
      expect(await askable("plain", userId)).toEqual(["ces", "csat", "pmf"]);
      expect(await askable("plain", userId.toUpperCase())).toEqual(["ces", "csat", "nps", "pmf"]);
      expect((await suite.client("plain").bootstrap(userId)).json.suppression).toEqual(["nps"]);
    });

    it("issuing tokens counts nothing: a page that was loaded often still asks", async () => {
      const userId = suite.newPerson();
      for (let views = 0; views < 5; views++)
        expect(await askable("capped", userId)).toEqual(["c1", "c2", "c3"]);
    });

    it("the quiet period begins with any answer and ends to the millisecond", async () => {
      const userId = suite.newPerson();
      await suite.client("quiet").answer("q1", userId);
      expect(await askable("quiet", userId)).toEqual([]);
      suite.world.clock.advance(30 * dayInMs - 1);
      expect(await askable("quiet", userId)).toEqual([]);
      suite.world.clock.advance(1);
      expect(await askable("quiet", userId)).toEqual(["q2"]);
    });

    it("the quiet period begins with a dismissal too", async () => {
      const client = suite.client("quiet");
      const userId = suite.newPerson();
      await client.dismiss({ showToken: await client.unboundToken("q1", userId), surveyId: "q1", userId });
      expect(await askable("quiet", userId)).toEqual([]);
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

    it("caps are never enforced at submit: tokens issued before are accepted", async () => {
      const client = suite.client("capped");
      const userId = suite.newPerson();
      const { showTokens } = (await client.bootstrap(userId)).json;
      for (const surveyId of ["c1", "c2", "c3"]) {
        const reply = await client.submit({ showToken: showTokens[surveyId], surveyId, rating: 1 });
        expect(reply.status).toBe(201);
      }
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

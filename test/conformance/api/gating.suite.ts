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

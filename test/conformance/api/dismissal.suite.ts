import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

export function dismissalSuite(suite: SuiteApi) {
  describe("dismissing", () => {
    it("is 201, suppresses the survey and uses the token", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const reply = await client.dismiss({ showToken, surveyId: "nps", userId });
      expect(reply.status).toBe(201);
      expect(reply.json).toEqual({ ok: true, id: expect.any(String), at: expect.any(String) });
      const again = await client.bootstrap(userId);
      expect(again.json.suppression).toEqual(["nps"]);
      expect(Object.keys(again.json.showTokens).sort()).toEqual(["ces", "csat", "pmf"]);
    });

    it("again with the same token is 201 with the first id and time, and nothing new is stored", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const first = await client.dismiss({ showToken, surveyId: "nps", userId });
      suite.world.clock.advance(5000);
      const second = await client.dismiss({ showToken, surveyId: "nps", userId });
      expect([second.status, second.json]).toEqual([201, first.json]);
      expect((await client.erase({ respondentId: userId })).json.dismissalsDeleted).toBe(1);
    });

    it("with a token that a response used is 401 token_used", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const answered = await client.submit({ showToken, surveyId: "nps", rating: 5 });
      const reply = await client.dismiss({ showToken, surveyId: "nps", userId });
      expect([reply.status, reply.json.code]).toEqual([401, "token_used"]);
      expect(reply.json.existing).toMatchObject({ id: answered.json.id, kind: "response" });
    });

    it("of a survey that the project does not have is 404, and the token stays unused", async () => {
      const client = suite.client("plain");
      const showToken = await client.unboundToken("nps");
      expect((await client.dismiss({ showToken, surveyId: "nope", userId: "u" })).status).toBe(404);
      expect((await client.submit({ showToken, surveyId: "nps", rating: 5 })).status).toBe(201);
    });

    it("needs a userId", async () => {
      const client = suite.client("plain");
      const showToken = await client.unboundToken("nps");
      expect((await client.dismiss({ showToken, surveyId: "nps" })).status).toBe(400);
    });
  });
}

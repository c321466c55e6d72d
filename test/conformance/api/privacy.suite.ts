import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

export function privacySuite(suite: SuiteApi) {
  describe("erasing a respondent", () => {
    it("hashes an e-mail address trimmed and in lower case, keeps dots and plus signs, per project", async () => {
      const hashOf = async (email: string, projectId = "plain") =>
        (await suite.client(projectId).erase({ email })).json.respondentIds[0];
      const plain = await hashOf("ann@example.org");
      expect(await hashOf(" Ann@EXAMPLE.org ")).toBe(plain);
      expect(await hashOf("a.nn@example.org")).not.toBe(plain);
      expect(await hashOf("ann+x@example.org")).not.toBe(plain);
      expect(await hashOf("ann@example.org", "other")).not.toBe(plain);
    });
  });

  describe("erasing a survey", () => {
    it("leaves outstanding tokens valid: answering again is new data", async () => {
      const client = suite.client("erased");
      const showToken = await client.boundToken("erased-nps", { respondentId: suite.newPerson() });
      await client.erase({ surveySlug: "erased-nps-slug" });
      expect((await client.submit({ showToken, surveyId: "erased-nps", rating: 5 })).status).toBe(201);
    });
  });

  describe("erasing the account", () => {
    it("deletes everything but keys and surveys; tokens from before are refused and people can be asked again", async () => {
      const client = suite.client("purged");
      const person = suite.newPerson();
      await client.answer("purged-nps", person);
      const dismisser = suite.newPerson();
      const used = await client.unboundToken("purged-nps", dismisser);
      await client.dismiss({ showToken: used, surveyId: "purged-nps", userId: dismisser });
      const outstanding = await client.boundToken("purged-nps", { respondentId: suite.newPerson() });
      const email = { email: "ann@example.org" };
      const [before] = (await client.erase(email)).json.respondentIds;

      const reply = await client.erase({ account: "true" });
      expect(reply.json).toEqual({
        ok: true,
        mode: "account",
        responsesDeleted: 1,
        dismissalsDeleted: 1,
        suppressionRetained: 0,
        note: expect.stringContaining("can be asked again"),
      });

      const submitted = await client.submit({ showToken: outstanding, surveyId: "purged-nps", rating: 5 });
      expect([submitted.status, submitted.json.code]).toEqual([401, "token_invalid"]);
      const checked = await client.check({ showTokens: [outstanding] });
      expect(checked.json).toEqual({ tokens: [{ state: "unknown" }] });
      expect((await client.export()).json.count).toBe(0);
      expect(await client.drain({ includeFailed: "true" })).toEqual([]);
      const again = await client.bootstrap(person);
      expect(again.json.suppression).toEqual([]);
      expect(again.json.surveys).toHaveLength(1);
      await client.answer("purged-nps", person);
      expect((await client.export()).json.count).toBe(1);
      // The pepper is gone with the data: the same address has another hash from now on.
      expect((await client.erase(email)).json.respondentIds[0]).not.toBe(before);
    });
  });
}

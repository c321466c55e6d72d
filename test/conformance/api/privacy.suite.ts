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

  it("gives an e-mail address another hash once the account was erased", async () => {
    const client = suite.client("purged");
    const hashOf = async () => (await client.erase({ email: "ann@example.org" })).json.respondentIds[0];
    const before = await hashOf();
    await client.erase({ account: "true" });
    expect(await hashOf()).not.toBe(before);
  });

  describe("erasing a survey", () => {
    it("leaves outstanding tokens valid: answering again is new data", async () => {
      const client = suite.client("erased");
      const showToken = await client.boundToken("erased-nps", { respondentId: suite.newPerson() });
      await client.erase({ surveySlug: "erased-nps-slug" });
      expect((await client.submit({ showToken, surveyId: "erased-nps", rating: 5 })).status).toBe(201);
    });
  });
}

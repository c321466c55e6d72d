import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

/** What a mint attests about its run, and which runs a survey asks about (contract, sections 4.4 and 2.3). */
export function samplingSuite(suite: SuiteApi) {
  const failed = { version: "2.4", facts: { outcome: "failed", steps: 14, handedOver: true } };

  describe("a survey that asks about some runs", () => {
    it("is left out before gating: a run that is not in the sample never counts as gated", async () => {
      const respondentId = suite.newPerson();
      const client = suite.client("sampled");
      const showToken = await client.boundToken("failures", { respondentId, run: failed });
      await client.submit({ showToken, surveyId: "failures", rating: 1 });
      const of = async (run?: object) =>
        (await client.mint({ respondentId, surveyId: "failures", run })).json.reason.failures;
      expect(await of(failed)).toBe("gated");
      expect(await of()).toBe("not_sampled");
    });
  });
}

import { dayInMs } from "@afterword/protocol/duration";
import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

export function tokenSuite(suite: SuiteApi) {
  describe("checking a token", () => {
    const stateOf = async (showToken: string) => (await suite.client("plain").check(showToken)).json;

    it("says used after an answer and after a dismissal, also when the token has expired or its record is erased", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const [answered, dismissed] = [
        await client.unboundToken("nps", userId),
        await client.unboundToken("csat", userId),
      ];
      await client.submit({ showToken: answered, surveyId: "nps", rating: 5 });
      await client.dismiss({ showToken: dismissed, surveyId: "csat", userId });
      const states = async () => [(await stateOf(answered)).state, (await stateOf(dismissed)).state];
      expect(await states()).toEqual(["used", "used"]);
      await client.erase({ respondentId: userId });
      suite.world.clock.advance(dayInMs + 62_000);
      expect(await states()).toEqual(["used", "used"]);
    });

    it("says how a run was rated to each of its tokens, also once they have expired, and to no unbound one", async () => {
      const client = suite.client("again");
      const respondentId = suite.newPerson();
      const mint = () => client.boundToken("runs", { respondentId });
      const [one, other, unbound] = [await mint(), await mint(), await client.unboundToken("once")];
      const { at } = (await client.submit({ showToken: one, surveyId: "runs", rating: 0, text: "slow" }))
        .json;
      await client.submit({ showToken: unbound, surveyId: "once", rating: 5 });
      suite.world.clock.advance(8 * dayInMs);
      const { tokens } = (await client.check({ showTokens: [other, unbound, one] })).json;
      const rated = { state: "used", surveyId: "runs", answer: { rating: 0, at } };
      expect(tokens).toEqual([rated, { state: "used", surveyId: "once" }, rated]);
      expect((await client.check(other)).json).toEqual(rated);
    });
  });
}

import { dayInMs } from "@afterword/protocol/duration";
import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

export function tokenSuite(suite: SuiteApi) {
  describe("show-tokens", () => {
    it("unbound ones live a day and 60 seconds of leeway for clocks that differ: 401 token_expired after", async () => {
      const client = suite.client("plain");
      const [early, late] = [await client.unboundToken("nps"), await client.unboundToken("nps")];
      suite.world.clock.advance(dayInMs + 59_000);
      expect((await client.submit({ showToken: early, surveyId: "nps", rating: 5 })).status).toBe(201);
      suite.world.clock.advance(2_000);
      const reply = await client.submit({ showToken: late, surveyId: "nps", rating: 5 });
      expect([reply.status, reply.json.code]).toEqual([401, "token_expired"]);
    });

    it("bound ones live a week, and a used one that has expired is 401, never new", async () => {
      const client = suite.client("plain");
      const respondentId = suite.newPerson();
      const [early, late] = [
        await client.boundToken("nps", { respondentId }),
        await client.boundToken("csat", { respondentId }),
      ];
      suite.world.clock.advance(7 * dayInMs - 1000);
      expect((await client.submit({ showToken: early, surveyId: "nps", rating: 5 })).status).toBe(201);
      suite.world.clock.advance(62_000);
      for (const [showToken, surveyId] of [
        [early, "nps"],
        [late, "csat"],
      ]) {
        const reply = await client.submit({ showToken, surveyId, rating: 5 });
        expect([reply.status, reply.json.code]).toEqual([401, "token_expired"]);
      }
    });
  });

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

    it("says expired of an unused token from the moment on at which a submit would be refused", async () => {
      const showToken = await suite.client("plain").unboundToken("nps");
      suite.world.clock.advance(dayInMs + 59_000);
      expect((await stateOf(showToken)).state).toBe("fresh");
      suite.world.clock.advance(2_000);
      expect((await stateOf(showToken)).state).toBe("expired");
    });
  });
}

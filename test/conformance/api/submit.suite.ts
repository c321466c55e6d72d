import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";
import { unlike } from "./unlike.ts";

export function submitSuite(suite: SuiteApi) {
  describe("submitting a response", () => {
    it("says whether it is the same answer for 24 hours only, and not once it is erased", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const [late, erased] = [
        await client.boundToken("nps", { respondentId: userId }),
        await client.boundToken("csat", { respondentId: userId }),
      ];
      await client.submit({ showToken: late, surveyId: "nps", rating: 4 });
      const isSame = async (showToken: string, surveyId: string) =>
        (await client.submit({ showToken, surveyId, rating: 4 })).json.existing?.isSame;
      suite.world.clock.advance(24 * 3_600_000);
      expect(await isSame(late, "nps")).toBe(true);
      suite.world.clock.advance(1);
      expect(await isSame(late, "nps")).toBeUndefined();
      await client.submit({ showToken: erased, surveyId: "csat", rating: 4 });
      await client.erase({ respondentId: userId });
      expect(await isSame(erased, "csat")).toBeUndefined();
    });

    it("takes the longest respondent's id, whatever its characters: it is asked, answered, exported and erased", async () => {
      const client = suite.client("plain");
      const userId = unlike(1024);
      const { showTokens } = (await client.bootstrap(userId)).json;
      expect((await client.submit({ showToken: showTokens.nps, surveyId: "nps", rating: 5 })).status).toBe(
        201,
      );
      const dismissal = { showToken: showTokens.csat, surveyId: "csat", userId };
      expect((await client.dismiss(dismissal)).status).toBe(201);
      expect((await client.bootstrap(userId)).json.suppression.toSorted()).toEqual(["csat", "nps"]);
      expect((await client.export({ respondentId: userId })).json.count).toBe(1);
      expect((await client.erase({ respondentId: userId })).json).toMatchObject({
        responsesDeleted: 1,
        dismissalsDeleted: 1,
      });
    });
  });
}

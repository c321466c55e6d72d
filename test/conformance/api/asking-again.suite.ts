import { dayInMs } from "@afterword/protocol/duration";
import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

/** When people who have answered or dismissed a survey are asked it again (contract, section 2.3). */
export function askingAgainSuite(suite: SuiteApi) {
  const days = (number: number) => suite.world.clock.advance(number * dayInMs);
  /** What bootstrap tells: whether there is a token, and whether the survey is suppressed. */
  const unbound = async (surveyId: string, userId: string, projectId = "again") => {
    const { json } = await suite.client(projectId).bootstrap(userId);
    return [surveyId in json.showTokens, json.suppression.includes(surveyId)];
  };
  /** The same of a mint for a run. */
  const bound = async (surveyId: string, respondentId: string, run: object, projectId = "again") => {
    const { json } = await suite.client(projectId).mint({ respondentId, ...run });
    return [surveyId in json.tokens, json.suppression.includes(surveyId)];
  };
  const [asked, suppressed] = [
    [true, false],
    [false, true],
  ];

  describe("a survey that is asked in each run", () => {
    const run = (sessionId: string, observationId?: string) => ({ sessionId, observationId });

    it("takes a dismissal with any token of the run for all of them", async () => {
      const client = suite.client("again");
      const of = { respondentId: suite.newPerson(), ...run("closed") };
      const [one, two] = [await client.boundToken("runs", of), await client.boundToken("runs", of)];
      const dismissal = { surveyId: "runs", userId: of.respondentId };
      const first = await client.dismiss({ showToken: one, ...dismissal });
      expect((await client.dismiss({ showToken: two, ...dismissal })).json).toEqual(first.json);
      const late = await client.submit({ showToken: two, surveyId: "runs", rating: 5 });
      expect([late.status, late.json.existing.kind]).toEqual([409, "dismissal"]);
    });

    it("keeps the tokens of another person, observation or survey of the session apart", async () => {
      const client = suite.client("again");
      const respondentId = suite.newPerson();
      const used = { surveyId: "runs", rating: 5 };
      const others = [
        { respondentId, ...run("apart") },
        { respondentId, ...run("apart", "o1") },
        { respondentId, ...run("apart", "o2") },
        { respondentId: suite.newPerson(), ...run("apart") },
      ];
      const tokens = await Promise.all(others.map((of) => client.boundToken("runs", of)));
      for (const showToken of tokens) expect((await client.submit({ showToken, ...used })).status).toBe(201);
    });

    it("keeps used tokens used when the person is erased, and when the survey's data is", async () => {
      const client = suite.client("again");
      for (const erase of [
        (respondentId: string) => client.erase({ respondentId }),
        () => client.erase({ surveySlug: "runs-slug" }),
      ]) {
        const of = { respondentId: suite.newPerson(), ...run("erased") };
        const [one, two] = [await client.boundToken("runs", of), await client.boundToken("runs", of)];
        await client.submit({ showToken: one, surveyId: "runs", rating: 5 });
        await erase(of.respondentId);
        const reply = await client.submit({ showToken: two, surveyId: "runs", rating: 5 });
        expect([reply.status, reply.json.existing]).toEqual([409, undefined]);
      }
    });
  });

  describe("erasing, where surveys are asked again", () => {
    it("of a person within one survey suppresses that one for good, and the others as before", async () => {
      const client = suite.client("again");
      const userId = suite.newPerson();
      await client.answer("later", userId);
      await client.answer("runs", userId);
      const reply = await client.erase({ respondentId: userId, surveySlug: "later-slug" });
      expect(reply.json.suppressionRetained).toBe(1);
      days(1000);
      expect(await unbound("later", userId)).toEqual(suppressed);
      expect(await bound("runs", userId, { sessionId: "new" })).toEqual(asked);
    });

    it("counts a survey and a person once in suppressionRetained, however many runs there were", async () => {
      const client = suite.client("again");
      const respondentId = suite.newPerson();
      for (const sessionId of ["one", "two", "three"]) {
        const showToken = await client.boundToken("runs", { respondentId, sessionId });
        await client.submit({ showToken, surveyId: "runs", rating: 5 });
      }
      expect((await client.erase({ respondentId })).json).toMatchObject({
        responsesDeleted: 3,
        suppressionRetained: 1,
      });
    });
  });
}

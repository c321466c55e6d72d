import { dayInMs } from "@afterword/protocol/duration";
import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

/** When people who have answered or dismissed a survey are asked it again (contract, section 2.3). */
export function askingAgainSuite(suite: SuiteApi) {
  const days = (number: number) => suite.world.clock.advance(number * dayInMs);
  const dismiss = async (surveyId: string, userId: string, run?: object) => {
    const client = suite.client("again");
    const showToken = run
      ? await client.boundToken(surveyId, { respondentId: userId, ...run })
      : await client.unboundToken(surveyId, userId);
    return client.dismiss({ showToken, surveyId, userId });
  };
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
  const [asked, suppressed, withheld] = [
    [true, false],
    [false, true],
    [false, false],
  ];

  describe("a survey that is asked again after a time", () => {
    it("leaves suppression, and has tokens again, 90 days after the answer to the millisecond", async () => {
      const userId = suite.newPerson();
      await suite.client("again").answer("later", userId);
      suite.world.clock.advance(90 * dayInMs - 1);
      expect(await unbound("later", userId)).toEqual(suppressed);
      expect(await bound("later", userId, {})).toEqual(suppressed);
      suite.world.clock.advance(1);
      expect(await unbound("later", userId)).toEqual(asked);
      expect(await bound("later", userId, {})).toEqual(asked);
    });

    it("waits longer after a dismissal, and for both after both", async () => {
      const userId = suite.newPerson();
      await dismiss("later", userId);
      days(90);
      expect(await unbound("later", userId)).toEqual(suppressed);
      days(90);
      expect(await unbound("later", userId)).toEqual(asked);
      await suite.client("again").answer("later", userId);
      days(89);
      expect(await unbound("later", userId)).toEqual(suppressed);
      days(1);
      expect(await unbound("later", userId)).toEqual(asked);
    });

    it("stores each answer of the same person, under ids of their own", async () => {
      const client = suite.client("again");
      const respondentId = suite.newPerson();
      const ids = [await client.answer("later", respondentId)];
      days(90);
      ids.push(await client.answer("later", respondentId));
      const { json } = await client.export({ respondentId });
      expect(json.responses.map(({ id }: { id: string }) => id)).toEqual(ids);
    });

    it("has a policy that no client is sent and that gives no new version", async () => {
      const client = suite.client("again");
      const { surveys } = (await client.bootstrap()).json;
      for (const survey of surveys) {
        expect(survey).not.toHaveProperty("askAgain");
        expect(survey).not.toHaveProperty("unprompted");
      }
    });
  });

  describe("a survey that is asked in each run", () => {
    const run = (sessionId: string, observationId?: string) => ({ sessionId, observationId });

    it("stays away for seven days after a dismissal, and from that run for good", async () => {
      const userId = suite.newPerson();
      expect((await dismiss("runs", userId, run("one"))).status).toBe(201);
      expect(await bound("runs", userId, run("two"))).toEqual(suppressed);
      suite.world.clock.advance(7 * dayInMs - 1);
      expect(await bound("runs", userId, run("two"))).toEqual(suppressed);
      suite.world.clock.advance(1);
      expect(await bound("runs", userId, run("two"))).toEqual(asked);
      expect(await bound("runs", userId, run("one"))).toEqual(suppressed);
    });

    it("is held to quiet period, monthly cap and maximum like any other", async () => {
      const client = suite.client("again-strictly");
      const respondentId = suite.newPerson();
      const minted = (session: string) => bound("strict", respondentId, run(session), "again-strictly");
      for (const session of ["one", "two"]) {
        expect(await minted(session)).toEqual(asked);
        const showToken = await client.boundToken("strict", { respondentId, sessionId: session });
        await client.submit({ showToken, surveyId: "strict", rating: 5 });
        expect(await minted(`${session} again`)).toEqual(withheld);
        days(1);
      }
      expect(await minted("three")).toEqual(withheld);
      days(29);
      expect(await minted("three")).toEqual(asked);
      await client.answer("strict", suite.newPerson());
      expect(await minted("three")).toEqual(withheld);
    });

    it("stores one answer of all tokens of one run, whenever they were minted; the others are 409 with that answer", async () => {
      const client = suite.client("again");
      const of = { respondentId: suite.newPerson(), ...run("twice", "o") };
      const tokens = [await client.boundToken("runs", of)];
      days(6);
      tokens.push(await client.boundToken("runs", of), await client.boundToken("runs", of));
      const first = await client.submit({ showToken: tokens[1], surveyId: "runs", rating: 5 });
      expect(first.status).toBe(201);
      for (const showToken of tokens) {
        const again = await client.submit({ showToken, surveyId: "runs", rating: 5 });
        expect([again.status, again.json.existing.id]).toEqual([409, first.json.id]);
        expect((await client.check(showToken)).json.state).toBe("used");
      }
      expect((await client.export({ respondentId: of.respondentId })).json.count).toBe(1);
    });

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

  describe("an unprompted survey", () => {
    it("has tokens in the quiet period and beyond the monthly cap, and starts neither", async () => {
      const client = suite.client("again-quietly");
      const respondentId = suite.newPerson();
      const tokensOf = async () => Object.keys((await client.mint({ respondentId })).json.tokens).toSorted();
      for (const sessionId of ["one", "two", "three"]) {
        const showToken = await client.boundToken("thumbs", { respondentId, sessionId });
        expect((await client.submit({ showToken, surveyId: "thumbs", rating: 5 })).status).toBe(201);
      }
      expect(await tokensOf()).toEqual(["few", "prompted", "thumbs"]);
      await client.answer("prompted", respondentId);
      expect(await tokensOf()).toEqual(["few", "thumbs"]);
    });

    it("is held to its maximum", async () => {
      const client = suite.client("again-quietly");
      const respondentId = suite.newPerson();
      const { json } = await client.mint({ respondentId });
      expect(Object.keys(json.tokens)).toContain("few");
      await client.answer("few", respondentId);
      expect(Object.keys((await client.mint({ respondentId: suite.newPerson() })).json.tokens)).not.toContain(
        "few",
      );
    });
  });

  describe("erasing, where surveys are asked again", () => {
    it("of a person suppresses every survey that they answered or dismissed for good, under every policy", async () => {
      const client = suite.client("again");
      const userId = suite.newPerson();
      await client.answer("later", userId);
      await client.answer("runs", userId);
      await dismiss("once", userId);
      const reply = await client.erase({ respondentId: userId });
      expect(reply.json).toMatchObject({ responsesDeleted: 2, dismissalsDeleted: 1, suppressionRetained: 3 });
      days(1000);
      for (const surveyId of ["later", "runs", "once"]) {
        expect(await unbound(surveyId, userId)).toEqual(suppressed);
        expect(await bound(surveyId, userId, { sessionId: "new" })).toEqual(suppressed);
      }
      expect(await bound("later", suite.newPerson(), {})).toEqual(asked);
    });

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

    it("of a survey keeps when people were asked, to the millisecond", async () => {
      const client = suite.client("again");
      const userId = suite.newPerson();
      await client.answer("later", userId);
      expect((await client.erase({ surveySlug: "later-slug" })).status).toBe(200);
      suite.world.clock.advance(90 * dayInMs - 1);
      expect(await unbound("later", userId)).toEqual(suppressed);
      suite.world.clock.advance(1);
      expect(await unbound("later", userId)).toEqual(asked);
    });

    it("of the account is the one thing that clears suppression that is for good", async () => {
      const client = suite.client("again");
      const userId = suite.newPerson();
      await client.answer("later", userId);
      await client.erase({ respondentId: userId });
      await client.erase({ account: "true" });
      expect(await unbound("later", userId)).toEqual(asked);
      expect(await bound("runs", userId, {})).toEqual(asked);
    });
  });
}

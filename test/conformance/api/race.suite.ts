import { describe, expect, it } from "vitest";
import { proofScale } from "../../faults/proof-scale.ts";
import { type SuiteApi } from "./suite-api.ts";

const racers = 64;
const rounds = proofScale({ quick: 1, full: 8 });

export function raceSuite(suite: SuiteApi) {
  describe("one token, many requests at once", () => {
    const countOf = (statuses: number[], status: number) => statuses.filter((one) => one === status).length;

    it("64 submits over both paths: exactly one is 201, all others 409, one row", async () => {
      const client = suite.client("plain");
      for (let round = 0; round < rounds; round++) {
        const respondentId = suite.newPerson();
        const showToken = await client.boundToken("nps", { respondentId });
        const replies = await Promise.all(
          Array.from({ length: racers }, (_, index) =>
            client.submit(
              { showToken, surveyId: "nps", rating: index % 11 },
              index % 2 ? "/v1/responses" : "/v1/sdk/responses",
            ),
          ),
        );
        const statuses = replies.map(({ status }) => status);
        expect([countOf(statuses, 201), countOf(statuses, 409)]).toEqual([1, racers - 1]);
        // The losers are told the winner's record.
        expect(new Set(replies.map(({ json }) => json.id ?? json.existing.id)).size).toBe(1);
        expect((await client.export({ respondentId })).json.count).toBe(1);
      }
    });

    it("64 tokens of one run at once: one is 201, all others 409 with its record, one row", async () => {
      const client = suite.client("again");
      for (let round = 0; round < rounds; round++) {
        const of = { respondentId: suite.newPerson(), sessionId: "raced", surveyId: "runs" };
        const tokens = await Promise.all(Array.from({ length: racers }, () => client.boundToken("runs", of)));
        expect(new Set(tokens).size).toBe(racers);
        const replies = await Promise.all(
          tokens.map((showToken, index) =>
            client.submit({ showToken, surveyId: "runs", rating: index % 11 }),
          ),
        );
        const statuses = replies.map(({ status }) => status);
        expect([countOf(statuses, 201), countOf(statuses, 409)]).toEqual([1, racers - 1]);
        expect(new Set(replies.map(({ json }) => json.id ?? json.existing.id)).size).toBe(1);
        const { count } = (await client.export({ respondentId: of.respondentId })).json;
        expect(count).toBe(1);
      }
    });

    it("whether an answer is the same is said three times, however many ask at once", async () => {
      const client = suite.client("plain");
      const showToken = await client.boundToken("nps", { respondentId: suite.newPerson() });
      await client.submit({ showToken, surveyId: "nps", rating: 7 });
      const replies = await Promise.all(
        Array.from({ length: racers }, () => client.submit({ showToken, surveyId: "nps", rating: 7 })),
      );
      const said = replies.filter(({ json }) => "isSame" in json.existing);
      expect(said.map(({ json }) => json.existing.isSame)).toEqual([true, true, true]);
    });

    it("submits and dismissals mixed: one record, and everyone is told which", async () => {
      const client = suite.client("plain");
      for (let round = 0; round < rounds; round++) {
        const userId = suite.newPerson();
        const showToken = await client.boundToken("nps", { respondentId: userId });
        const replies = await Promise.all(
          Array.from({ length: racers }, (_, index) =>
            index % 2
              ? client.submit({ showToken, surveyId: "nps", rating: 5 })
              : client.dismiss({ showToken, surveyId: "nps", userId }),
          ),
        );
        const ids = replies.map(({ json }) => json.id ?? json.existing.id);
        expect(new Set(ids).size).toBe(1);
        const submits = replies.filter((_, index) => index % 2).map(({ status }) => status);
        const dismissals = replies.filter((_, index) => index % 2 === 0).map(({ status }) => status);
        const wasAnswered = submits.includes(201);
        expect(countOf(submits, 201)).toBe(wasAnswered ? 1 : 0);
        expect(countOf(submits, 409)).toBe(racers / 2 - (wasAnswered ? 1 : 0));
        expect(countOf(dismissals, wasAnswered ? 401 : 201)).toBe(racers / 2);
        const { responsesDeleted, dismissalsDeleted } = (await client.erase({ respondentId: userId })).json;
        expect([responsesDeleted, dismissalsDeleted]).toEqual(wasAnswered ? [1, 0] : [0, 1]);
      }
    });

    it("acknowledgements of the same rows at once: each row is counted once", async () => {
      const client = suite.client("queue");
      const ids = await Promise.all(
        Array.from({ length: 20 }, () => client.answer("queue-nps", suite.newPerson())),
      );
      const results = ids.map((id) => ({ id, state: "delivered" }));
      const replies = await Promise.all(Array.from({ length: 10 }, () => client.ack(results)));
      expect(replies.reduce((sum, { json }) => sum + json.updated, 0)).toBe(ids.length);
    });

    it("an account purge in the middle of submits leaves nothing behind that was answered before it", async () => {
      const client = suite.client("raced");
      const tokens = await Promise.all(
        Array.from({ length: 40 }, () => client.boundToken("raced-nps", { respondentId: suite.newPerson() })),
      );
      const submits = tokens.map((showToken) =>
        client.submit({ showToken, surveyId: "raced-nps", rating: 1 }),
      );
      const purge = client.erase({ account: "true" });
      const statuses = (await Promise.all(submits)).map(({ status }) => status);
      const { responsesDeleted } = (await purge).json;
      expect(responsesDeleted).toBe(countOf(statuses, 201));
      expect(countOf(statuses, 201) + countOf(statuses, 401)).toBe(tokens.length);
      expect((await client.export()).json.count).toBe(0);
    });
  });
}

import { expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

/** What a survey of thumbs takes, and its scores say (contract, section "Thumbs"). */
export function thumbsSuite(suite: SuiteApi) {
  it("thumbs are 1 and 5 alone, refused after all else that is wrong, and marked; other scores are as ever", async () => {
    const client = suite.client("queue");
    const surveyId = "queue-thumbs";
    const mint = () => client.boundToken(surveyId, { respondentId: suite.newPerson() });
    const [showToken, other] = [await mint(), await mint()];
    const submit = async (fields: object) => {
      const { status, json } = await client.submit({ showToken, surveyId, ...fields });
      return json.code ?? status;
    };
    for (const rating of [0, 2, 3, 4]) expect(await submit({ rating })).toBe("rating_out_of_range");
    expect(await submit({ rating: 3, sessionId: "another" })).toBe("token_session_mismatch");
    expect(await submit({ rating: 3, showToken: "st2.forged" })).toBe("token_invalid");
    expect([await submit({ rating: 5 }), await submit({ rating: 3 })]).toEqual([201, "token_used"]);
    expect(await submit({ showToken: other, rating: 1 })).toBe(201);
    await client.answer("queue-nps", suite.newPerson());
    const { scores } = (await client.pending({})).json;
    const last: Record<string, unknown>[] = scores.slice(-3);
    const [up, down, another] = last.map(({ rating, thumbs }) => [rating, thumbs]);
    expect([up, down, another!.at(1)]).toEqual([[5, true], [1, true], undefined]);
    expect(Object.keys(last[2]!)).toEqual(
      "id surveyId sessionId observationId rating text taskType at".split(" "),
    );
  });
}

import { expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

const survey = "queue-nps";

/** What the contract's queue does over months. */
export function queueSuite(suite: SuiteApi) {
  it("a cursor stays good after its scores were acknowledged or purged, and does not expire", async () => {
    const client = suite.client("queue");
    const fill = () => client.answer(survey, suite.newPerson());
    const ids = [await fill(), await fill(), await fill()];
    const { nextCursor } = (await client.pending({ limit: "2" })).json;
    await client.ack([{ id: ids[0]!, state: "delivered" }]);
    await client.erase({ surveySlug: `${survey}-slug` });
    const later = await fill();
    suite.world.clock.advance(90 * 24 * 3_600_000);
    const { json } = await client.pending({ cursor: nextCursor });
    expect(json.scores.map(({ id }: { id: string }) => id)).toEqual([later]);
  });
}

import { describe, expect, it } from "vitest";
import { braintrust } from "./braintrust.ts";
import { aScore, fakeFetch, untilAborted } from "./score.fixture.ts";

async function sent(
  score: object = {},
  resolveTarget: () => { rowId: string } | null = () => ({ rowId: "row-1" }),
) {
  const { fetch, requests } = fakeFetch(() => ({ status: "success" }));
  const clock = () => Date.parse(aScore().at);
  const sink = braintrust({ apiKey: "key", projectId: "p/1", resolveTarget, fetch, clock });
  const [outcome] = await sink.deliver([aScore(score)], untilAborted());
  return { outcome, request: requests[0] };
}

describe("feedback in Braintrust", () => {
  it("is the rating between 0 and 1 on the row that the resolver names, with the text in the metadata", async () => {
    const { outcome, request } = await sent();
    expect(outcome).toEqual({ outcome: "delivered" });
    expect(request).toMatchObject({ method: "POST", path: "/v1/project_logs/p%2F1/feedback" });
    const [feedback] = request?.body.feedback ?? [];
    expect(feedback).toMatchObject({
      id: "row-1",
      scores: { "afterword.srv_csat": 0.75 },
      metadata: { responseId: aScore().id, rating: 4, label: "satisfied", text: "Found it at once" },
      source: "external",
    });
    expect(feedback).not.toHaveProperty("comment");
  });

  it.each([
    [null, "`surveys`"],
    ["csat", "the scale of csat"],
  ])(
    "waits while the survey's scale is unknown or does not fit (%s), and says what to do",
    async (surveyType, hint) => {
      const { outcome, request } = await sent({ normalised: null, surveyType });
      expect(outcome).toMatchObject({ outcome: "retry", reason: expect.stringContaining(hint) });
      expect(request).toBeUndefined();
    },
  );

  it("needs a rating, and waits for a row that is not there", async () => {
    expect((await sent({ rating: null, normalised: null })).outcome).toMatchObject({ outcome: "permanent" });
    expect((await sent({}, () => null)).outcome).toMatchObject({ outcome: "retry" });
  });

  it("goes to the row that has the observation's id, and waits without one for as long as it takes", async () => {
    const { fetch, requests } = fakeFetch(() => ({ status: "success" }));
    const yearLater = Date.parse(aScore().at) + 365 * 24 * 60 * 60 * 1000;
    const sink = braintrust({ apiKey: "key", projectId: "p", fetch, clock: () => yearLater });
    expect(await sink.deliver([aScore({ observationId: "row-7" })], untilAborted())).toEqual([
      { outcome: "delivered" },
    ]);
    expect(requests[0]?.body.feedback[0].id).toBe("row-7");
    expect(await sink.deliver([aScore({ observationId: null })], untilAborted())).toEqual([
      { outcome: "retry", reason: expect.stringContaining("resolveTarget") },
    ]);
    expect(requests).toHaveLength(1);
  });

  it("needs a project", () => {
    expect(() => braintrust({ apiKey: "k", projectId: "" })).toThrow(/projectId/);
  });
});

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

  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const spanId = "b7ad6b7169203331";
  const now = Date.parse(aScore().at);

  /** Delivers the score of a run reference before a Braintrust that answers the look-up so. */
  async function ofRun(observationId: string, rows: Response | object, clock = now) {
    const { fetch, requests } = fakeFetch(({ path }) => (path === "/btql" ? rows : { status: "success" }));
    const sink = braintrust({ apiKey: "key", projectId: "p1", fetch, clock: () => clock });
    const [outcome] = await sink.deliver([aScore({ observationId })], untilAborted());
    return { outcome, requests };
  }

  it.each([
    [traceId, "is_root = true"],
    [`${traceId}-${spanId}`, `span_id = '${spanId}'`],
  ])("of the run reference %s goes to the row that Braintrust made of it", async (observationId, row) => {
    const { outcome, requests } = await ofRun(observationId, { data: [{ id: "row-9" }] });
    expect(outcome).toEqual({ outcome: "delivered" });
    const filter = `root_span_id = '${traceId}' and ${row}`;
    expect(requests[0]).toMatchObject({
      method: "POST",
      path: "/btql",
      body: {
        query: `select: id | from: project_logs('p1') spans | filter: ${filter} | limit: 1`,
        fmt: "json",
      },
    });
    expect(requests[1]?.body.feedback[0].id).toBe("row-9");
  });

  it("waits up to a day for the row of a run reference, and makes no stray one", async () => {
    const early = await ofRun(traceId, { data: [] });
    expect(early.outcome).toMatchObject({ outcome: "retry", reason: expect.stringContaining("no row") });
    const late = await ofRun(traceId, { data: [] }, now + 24 * 60 * 60 * 1000 + 1);
    expect(late.outcome).toMatchObject({ outcome: "permanent" });
    expect([...early.requests, ...late.requests].map(({ path }) => path)).toEqual(["/btql", "/btql"]);
  });

  it.each([400, 429, 500])("burns no score where the look-up is answered by %i", async (status) => {
    const { outcome } = await ofRun(traceId, new Response("no", { status }));
    expect(outcome).toMatchObject({ outcome: "retry" });
  });

  it("needs a project", () => {
    expect(() => braintrust({ apiKey: "k", projectId: "" })).toThrow(/projectId/);
  });
});

import { describe, expect, it } from "vitest";
import { phoenix, type PhoenixOptions } from "./phoenix.ts";
import { aScore, fakeFetch, type SeenRequest, untilAborted } from "./score.fixture.ts";

const span = "b7ad6b7169203331";
const trace = "0af7651916cd43dd8448eb211c80319c";
const now = Date.parse("2026-11-21T08:01:00.000Z");
const dayLater = now + 24 * 60 * 60 * 1000;

function against(answer: (request: SeenRequest) => Response | object, options: PhoenixOptions = {}) {
  const { fetch, requests } = fakeFetch(answer);
  const sink = phoenix({ baseUrl: "http://phoenix.test", fetch, clock: () => now, ...options });
  return { sink, requests, deliver: (score: object) => sink.deliver([aScore(score)], untilAborted()) };
}

const inserted = () => ({ data: [{ id: "1" }] });
const missing = (what: string) => () => new Response(`${what} do not exist.`, { status: 404 });

describe("what is annotated in Phoenix", () => {
  it.each([
    ["a session without an observation", null, "session", { session_id: "session-1" }],
    ["the span that 16 hexadecimal digits name", span, "span", { span_id: span }],
    ["the trace that a run reference names", trace, "trace", { trace_id: trace }],
    ["the span that a run reference names", `${trace}-${span}`, "span", { span_id: span }],
    ["the span whose id is written in capitals", span.toUpperCase(), "span", { span_id: span }],
    [
      "the session of an observation with another kind of id",
      "turn-7",
      "session",
      { session_id: "session-1" },
    ],
  ])("is %s", async (_, observationId, kind, target) => {
    const { deliver, requests } = against(inserted);
    expect(await deliver({ observationId })).toEqual([{ outcome: "delivered" }]);
    expect(requests).toMatchObject([{ method: "POST", path: `/v1/${kind}_annotations?sync=true` }]);
    expect(requests[0]?.body.data).toEqual([
      {
        ...target,
        name: "afterword.srv_csat",
        annotator_kind: "HUMAN",
        identifier: aScore().id,
        result: { score: 4, label: "satisfied", explanation: "Found it at once" },
        metadata: {
          responseId: aScore().id,
          surveyId: "srv_csat",
          surveyType: "csat",
          label: "satisfied",
          normalised: 0.75,
          taskType: "search",
          sessionId: "session-1",
          observationId,
          at: "2026-11-21T08:00:00.000Z",
        },
      },
    ]);
  });

  it("is nothing when the score names neither session nor observation, or has nothing to say", async () => {
    const { deliver, requests } = against(inserted);
    expect(await deliver({ sessionId: null })).toMatchObject([{ outcome: "permanent" }]);
    expect(await deliver({ rating: null, text: null })).toMatchObject([{ outcome: "permanent" }]);
    expect(requests).toEqual([]);
  });
});

describe("a target that Phoenix does not have", () => {
  it("is waited for: its trace may still be on its way", async () => {
    const { deliver } = against(missing("Sessions with IDs session-1"));
    const reason = "phoenix: POST /v1/session_annotations answered 404: no such session";
    expect(await deliver({})).toMatchObject([{ outcome: "retry", reason }]);
  });

  it("is given up after a day", async () => {
    const { deliver } = against(missing("Sessions with IDs session-1"), { clock: () => dayLater });
    expect(await deliver({})).toMatchObject([{ outcome: "permanent" }]);
  });

  it("leaves the rating to the session when it is a span that never came", async () => {
    const { deliver, requests } = against(
      ({ path }) => (path.startsWith("/v1/span") ? missing("Spans")() : inserted()),
      { clock: () => dayLater },
    );
    expect(await deliver({ observationId: span })).toEqual([{ outcome: "delivered" }]);
    expect(requests.at(-1)?.body.data[0]).toMatchObject({
      session_id: "session-1",
      metadata: { observationId: span },
    });
  });

  it("leaves the rating to the trace of a run reference when only its span never came", async () => {
    const { deliver, requests } = against(
      ({ path }) => (path.startsWith("/v1/span") ? missing("Spans")() : inserted()),
      { clock: () => dayLater },
    );
    expect(await deliver({ observationId: `${trace}-${span}` })).toEqual([{ outcome: "delivered" }]);
    expect(requests.map(({ path }) => path.split("?")[0])).toEqual([
      "/v1/span_annotations",
      "/v1/trace_annotations",
    ]);
    expect(requests.at(-1)?.body.data[0]).toMatchObject({ trace_id: trace });
  });

  it("is not to be confused with an address that is no Phoenix", async () => {
    const { deliver } = against(() => new Response("<h1>404</h1>", { status: 404 }), {
      clock: () => dayLater,
    });
    expect(await deliver({})).toMatchObject([
      { outcome: "fatal", reason: expect.stringContaining("base URL") },
    ]);
  });
});

describe("erasing in Phoenix", () => {
  const erase = (sink: ReturnType<typeof phoenix>) =>
    sink.eraseScores?.([{ id: "r/1", surveyId: null, name: "afterword.srv_csat", at: null }], untilAborted());

  it("looks through every project and every kind of target, and never deletes without the identifier", async () => {
    const { sink, requests } = against(({ path, method }) => {
      if (method === "DELETE") return new Response(null, { status: 204 });
      return path.includes("cursor")
        ? { data: [{ id: "p/2" }], next_cursor: null }
        : { data: [{ id: "p1" }], next_cursor: "more" };
    });
    expect(await erase(sink)).toEqual([{ outcome: "erased" }]);
    const deletions = requests.filter(({ method }) => method === "DELETE").map(({ path }) => path);
    expect(deletions).toEqual(
      ["p1", "p%2F2"].flatMap((project) =>
        ["session", "span", "trace"].map(
          (kind) => `/v1/projects/${project}/${kind}_annotations?identifier=r%2F1&delete_all=true`,
        ),
      ),
    );
  });

  it("asks once for the projects, however many scores there are", async () => {
    const { sink, requests } = against(({ method }) =>
      method === "DELETE" ? new Response(null, { status: 204 }) : { data: [{ id: "p1" }], next_cursor: null },
    );
    const scores = ["a", "b"].map((id) => ({ id, surveyId: null, name: "afterword.srv_csat", at: null }));
    expect(await sink.eraseScores?.(scores, untilAborted())).toEqual([
      { outcome: "erased" },
      { outcome: "erased" },
    ]);
    expect(requests.filter(({ method }) => method === "GET")).toHaveLength(1);
    expect(requests.filter(({ method }) => method === "DELETE")).toHaveLength(6);
  });

  it("looks only through the projects that it is given, which must be there", async () => {
    const { sink, requests } = against(() => new Response("no", { status: 404 }), { projects: ["shop"] });
    expect(await erase(sink)).toMatchObject([
      { outcome: "failed", reason: expect.stringContaining("no such project") },
    ]);
    expect(requests).toHaveLength(1);
  });

  it("says so when the Phoenix is too old to delete, and when it cannot say which projects it has", async () => {
    const old = against(() => new Response("no", { status: 405 }), { projects: ["shop"] });
    expect(await erase(old.sink)).toMatchObject([{ outcome: "unsupported" }]);
    const silent = against(() => new Response("no", { status: 500 }));
    expect(await erase(silent.sink)).toMatchObject([{ outcome: "failed" }]);
  });
});

import { describe, expect, it } from "vitest";
import { langsmith } from "./langsmith.ts";
import { aScore, fakeFetch, untilAborted } from "./score.fixture.ts";

const run = {
  runId: "0f0e0d0c-0b0a-4900-8807-060504030201",
  projectId: "1f0e0d0c-0b0a-4900-8807-060504030201",
};
const now = Date.parse("2026-11-21T08:01:00.000Z");

async function sent(answer: () => Response | object, score: object = {}, options: object = {}) {
  const { fetch, requests } = fakeFetch(answer);
  const sink = langsmith({ apiKey: "key", resolveTarget: () => run, fetch, clock: () => now, ...options });
  const [outcome] = await sink.deliver([aScore(score)], untilAborted());
  return { outcome, request: requests[0] };
}

describe("feedback in LangSmith", () => {
  it("rates the run that the resolver names, in its project, under the response's id", async () => {
    const { request } = await sent(() => ({ id: "x" }));
    expect(request).toMatchObject({ method: "POST", path: "/feedback" });
    expect(request?.body).toMatchObject({
      id: aScore().id,
      run_id: run.runId,
      session_id: run.projectId,
      key: "afterword.srv_csat",
      score: 4,
      value: "satisfied",
      comment: "Found it at once",
      feedback_source: { type: "api", metadata: { sessionId: "session-1", responseId: aScore().id } },
    });
  });

  it("keeps no trace for longer unless it is told to, since that costs", async () => {
    expect((await sent(() => ({}))).request?.body.extend_trace_retention).toBe(false);
    const kept = await sent(() => ({}), {}, { extendTraceRetention: true });
    expect(kept.request?.body.extend_trace_retention).toBe(true);
  });

  it("that is there already is delivered", async () => {
    const { outcome } = await sent(() => Response.json({ detail: "exists" }, { status: 409 }));
    expect(outcome).toEqual({ outcome: "delivered" });
  });

  it.each([null, "ok", "<html>"])("is not stored by whoever answers %j", async (answer) => {
    expect((await sent(() => Response.json(answer))).outcome).toMatchObject({ outcome: "retry" });
  });

  it("waits a day for a run that is not there, and stops at an address that is not LangSmith's", async () => {
    const noRun = () => Response.json({ detail: "Run not found" }, { status: 404 });
    expect((await sent(noRun)).outcome).toMatchObject({ outcome: "retry" });
    const late = { clock: () => now + 24 * 60 * 60 * 1000 };
    expect((await sent(noRun, {}, late)).outcome).toMatchObject({ outcome: "permanent" });
    const noRoute = () => Response.json({ detail: "Not Found" }, { status: 404 });
    expect((await sent(noRoute, {}, late)).outcome).toMatchObject({ outcome: "fatal" });
  });

  it("without a rating is a comment alone, and without either is refused", async () => {
    const { request } = await sent(() => ({}), { rating: null, label: null });
    expect(request?.body).not.toHaveProperty("score");
    expect(request?.body.comment).toBe("Found it at once");
    expect((await sent(() => ({}), { rating: null, text: null })).outcome).toMatchObject({
      outcome: "permanent",
    });
  });

  it("needs a resolver, since LangSmith has no feedback on sessions", () => {
    expect(() => langsmith({ apiKey: "key" } as Parameters<typeof langsmith>[0])).toThrow(/resolveTarget/);
  });
});

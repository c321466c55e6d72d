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
  return { outcome, request: requests[0], requests };
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

  const { projectId } = run;
  const byDefault = { resolveTarget: undefined, projectId };

  it("of a session is about the thread that has its id, as LangSmith's own programs send it", async () => {
    const { request, outcome } = await sent(() => ({ id: "x" }), {}, byDefault);
    expect(outcome).toEqual({ outcome: "delivered" });
    expect(request?.body).toEqual({
      id: aScore().id,
      key: "afterword.srv_csat",
      score: 4,
      value: "satisfied",
      comment: "Found it at once",
      session_id: projectId,
      feedback_thread_id: "session-1",
      extend_trace_retention: false,
      feedback_source: { type: "api", metadata: expect.objectContaining({ responseId: aScore().id }) },
    });
  });

  it.each([
    ["the run that a UUID names", run.runId, { run_id: run.runId }],
    [
      "the run that LangSmith makes of a run reference's span",
      "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
      { run_id: "00000000-0000-0000-b7ad-6b7169203331" },
    ],
    [
      "the thread where a run reference has no span",
      "0af7651916cd43dd8448eb211c80319c",
      { feedback_thread_id: "session-1" },
    ],
    ["the thread where the observation is no run", "turn-7", { feedback_thread_id: "session-1" }],
  ])("of an observation is about %s", async (_, observationId, target) => {
    const { request } = await sent(() => ({ id: "x" }), { observationId }, byDefault);
    expect(request?.body).toMatchObject(target);
    const targets = ["run_id", "feedback_thread_id"].filter((key) => key in request!.body);
    expect(targets).toEqual(Object.keys(target));
    expect(request?.body.feedback_source.metadata.observationId).toBe(observationId);
  });

  it("that names neither session nor run is refused", async () => {
    const { outcome } = await sent(() => ({ id: "x" }), { sessionId: null }, byDefault);
    expect(outcome).toMatchObject({ outcome: "permanent" });
  });

  it("goes to the thread when its run did not come within a day, and only then", async () => {
    const { fetch, requests } = fakeFetch(({ body }) =>
      "run_id" in body ? Response.json({ detail: "Run not found" }, { status: 404 }) : { id: "x" },
    );
    const at = (clock: number) => langsmith({ apiKey: "key", projectId, fetch, clock: () => clock });
    const scores = [aScore({ observationId: run.runId })];
    expect(await at(now).deliver(scores, untilAborted())).toMatchObject([{ outcome: "retry" }]);
    const dayLater = now + 24 * 60 * 60 * 1000;
    expect((await sent(() => ({ id: "x" }), {}, { clock: () => dayLater })).requests).toHaveLength(1);
    expect(await at(dayLater).deliver(scores, untilAborted())).toEqual([{ outcome: "delivered" }]);
    expect(requests.at(-1)?.body).toMatchObject({ feedback_thread_id: "session-1" });
  });

  it("keeps no trace for longer unless it is told to, since that costs", async () => {
    for (const target of [{}, byDefault])
      expect((await sent(() => ({}), {}, target)).request?.body.extend_trace_retention).toBe(false);
    const kept = await sent(() => ({}), {}, { extendTraceRetention: true });
    expect(kept.request?.body.extend_trace_retention).toBe(true);
  });

  it("that is there already is delivered", async () => {
    const { outcome } = await sent(() => Response.json({ detail: "exists" }, { status: 409 }));
    expect(outcome).toEqual({ outcome: "delivered" });
  });

  it.each([null, "ok", "<html>"])("is not stored when the answer is %j", async (answer) => {
    expect((await sent(() => Response.json(answer))).outcome).toMatchObject({ outcome: "retry" });
  });

  it("waits a day for a run that is not there, and stops at an address that is not LangSmith's", async () => {
    const noRun = () => Response.json({ detail: "Run not found" }, { status: 404 });
    expect((await sent(noRun)).outcome).toMatchObject({ outcome: "retry" });
    const late = { clock: () => now + 24 * 60 * 60 * 1000 };
    expect((await sent(noRun, { sessionId: null }, late)).outcome).toMatchObject({ outcome: "permanent" });
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

  it("needs a project or a resolver", () => {
    expect(() => langsmith({ apiKey: "key" })).toThrow(/projectId/);
  });
});

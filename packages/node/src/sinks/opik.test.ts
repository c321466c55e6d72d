import { describe, expect, it } from "vitest";
import { opik, type OpikOptions } from "./opik.ts";
import { aScore, fakeFetch, untilAborted } from "./score.fixture.ts";

async function sent(options: OpikOptions, score: object = {}) {
  const { fetch, requests } = fakeFetch(() => new Response(null, { status: 204 }));
  const sink = opik({
    baseUrl: "http://opik.test/api",
    fetch,
    clock: () => Date.parse(aScore().at),
    ...options,
  });
  const [outcome] = await sink.deliver([aScore(score)], untilAborted());
  return { outcome, request: requests[0], body: requests[0]?.body.scores?.[0] };
}

describe("a score in Opik", () => {
  it("is the thread's that has the session's id, with the survey in its name", async () => {
    const { request, body } = await sent({ projectName: "shop" });
    expect(request).toMatchObject({ method: "PUT", path: "/api/v1/private/traces/threads/feedback-scores" });
    expect(body).toEqual({
      thread_id: "session-1",
      project_name: "shop",
      name: "afterword.srv_csat",
      value: 4,
      category_name: "satisfied",
      reason: "Found it at once",
      source: "sdk",
    });
  });

  it("has the survey in its name also when all surveys share one", async () => {
    const { body } = await sent({}, { name: "afterword.rating" });
    expect(body.name).toBe("afterword.rating.srv_csat");
  });

  it.each([
    [{ traceId: "t" }, "/api/v1/private/traces/feedback-scores", { id: "t" }],
    [{ spanId: "s" }, "/api/v1/private/spans/feedback-scores", { id: "s" }],
    [{ threadId: "x" }, "/api/v1/private/traces/threads/feedback-scores", { thread_id: "x" }],
  ])("goes where the resolver says: %j", async (target, path, id) => {
    const { request, body } = await sent({ resolveTarget: () => target });
    expect(request?.path).toBe(path);
    expect(body).toMatchObject(id);
  });

  it("waits for a target that is not there, and does not fall over a resolver that throws", async () => {
    expect((await sent({ resolveTarget: () => null })).outcome).toMatchObject({ outcome: "retry" });
    const failing = () => {
      throw new RangeError(`no ${aScore().text}`);
    };
    expect((await sent({ resolveTarget: failing })).outcome).toEqual({
      outcome: "retry",
      reason: "the target resolver failed: RangeError",
    });
  });

  it("of a run reference is the session's thread: Opik gives OpenTelemetry's spans ids of its own", async () => {
    const { body } = await sent({}, { observationId: "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331" });
    expect(body).toMatchObject({ thread_id: "session-1" });
  });

  it("without a session is refused at once unless a resolver knows better: it will never have a thread", async () => {
    expect((await sent({}, { sessionId: null })).outcome).toMatchObject({ outcome: "permanent" });
    const { request } = await sent({ resolveTarget: () => ({ traceId: "t" }) }, { sessionId: null });
    expect(request?.path).toBe("/api/v1/private/traces/feedback-scores");
  });

  it("needs a rating", async () => {
    expect((await sent({}, { rating: null })).outcome).toMatchObject({ outcome: "permanent" });
  });
});

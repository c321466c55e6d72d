import { describe, expect, it } from "vitest";
import type { DeliverableScore } from "../scores/sink.ts";
import { langfuse, type LangfuseOptions } from "./langfuse.ts";
import { aScore, fakeFetch, type SeenRequest, times, untilAborted } from "./score.fixture.ts";

const scores = "/api/public/scores";
const first = "/api/public/observations/";
const second = "/api/public/v2/observations";
const now = Date.parse("2026-11-21T08:01:00.000Z");

/** A sink before a Langfuse that takes every score; its observations are answered by the test. */
function against(
  observations: (request: SeenRequest) => Response | object,
  options: Partial<LangfuseOptions> = {},
) {
  const { fetch, requests } = fakeFetch((request) =>
    request.path === scores ? { id: request.body.id } : observations(request),
  );
  const sink = langfuse({ publicKey: "pk-1", secretKey: "sk-1", fetch, clock: () => now, ...options });
  const deliver = async (...parts: Partial<DeliverableScore>[]) =>
    await sink.deliver(parts.map(aScore), untilAborted());
  return { sink, requests, deliver, sent: () => requests.filter(({ path }) => path === scores) };
}

const noObservations = () => Response.json({ message: "not found" }, { status: 404 });

describe("a score of a session in Langfuse", () => {
  it("carries the response's id, so that twice is once", async () => {
    const { deliver, sent } = against(noObservations);
    expect(await deliver({}, {})).toEqual([{ outcome: "delivered" }, { outcome: "delivered" }]);
    expect(sent().map(({ body }) => body.id)).toEqual([aScore().id, aScore().id]);
    expect(sent()[0]).toMatchObject({ method: "POST" });
    expect(sent()[0]?.body).toEqual({
      id: aScore().id,
      name: "afterword.srv_csat",
      sessionId: "session-1",
      value: 4,
      dataType: "NUMERIC",
      comment: "Found it at once",
      timestamp: "2026-11-21T08:00:00.000Z",
      metadata: {
        responseId: aScore().id,
        surveyId: "srv_csat",
        surveyType: "csat",
        label: "satisfied",
        normalised: 0.75,
        taskType: "search",
        sessionId: "session-1",
        observationId: null,
        at: "2026-11-21T08:00:00.000Z",
      },
    });
  });

  it("has no comment when the text was left out, and the environment when one is given", async () => {
    const { deliver, sent } = against(noObservations, { environment: "staging" });
    await deliver({ text: null });
    expect(sent()[0]?.body).not.toHaveProperty("comment");
    expect(sent()[0]?.body.environment).toBe("staging");
  });

  it.each([
    ["x".repeat(500), "x".repeat(500)],
    ["x".repeat(501), "x".repeat(500)],
    ["🙂".repeat(600), "🙂".repeat(250)],
    [`x${"🙂".repeat(600)}`, `x${"🙂".repeat(249)}`],
  ])("without a rating is a text of at most 500 units, cut between characters: %#", async (text, value) => {
    const { deliver, sent } = against(noObservations);
    await deliver({ rating: null, text });
    expect(sent()[0]?.body).toMatchObject({ dataType: "TEXT", value, comment: text });
  });

  it("without rating and text is nothing that Langfuse could take", async () => {
    const { deliver, requests } = against(noObservations);
    for (const text of [null, ""])
      expect(await deliver({ rating: null, text })).toMatchObject([{ outcome: "permanent" }]);
    expect(requests).toEqual([]);
  });

  it("that names neither session nor observation is not guessed about", async () => {
    const { deliver, requests } = against(noObservations);
    expect(await deliver({ sessionId: null })).toMatchObject([{ outcome: "permanent" }]);
    expect(requests).toEqual([]);
  });
});

describe("what Langfuse answers", () => {
  const outcomeOf = async (status: number, body: object) => {
    const { fetch } = fakeFetch(() => Response.json(body, { status }));
    const sink = langfuse({ publicKey: "pk-1", secretKey: "sk-1", fetch });
    return (await sink.deliver([aScore()], untilAborted()))[0]?.outcome;
  };

  it.each([
    [200, { id: "019aa000" }],
    [202, { message: "Accepted" }],
    [207, { accepted: 1, rejected: 0, errors: [] }],
  ])("is a delivery in each form that it documents: %i %j", async (status, body) => {
    expect(await outcomeOf(status, body)).toBe("delivered");
  });

  it.each([
    [200, { message: "Accepted" }],
    [200, {}],
    [202, { status: "sign in first" }],
    [207, { accepted: 0, rejected: 0, errors: [] }],
    [207, {}],
  ])("is tried again in any other form: %i %j", async (status, body) => {
    expect(await outcomeOf(status, body)).toBe("retry");
  });

  it("is a refusal when it counts the score as rejected", async () => {
    const rejected = { accepted: 0, rejected: 1, errors: [{ message: "value is required" }] };
    expect(await outcomeOf(207, rejected)).toBe("permanent");
  });
});

describe("a score of a run reference in Langfuse", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const spanId = "b7ad6b7169203331";

  it.each([
    ["the trace", traceId, { traceId }],
    ["the span in it", `${traceId}-${spanId}`, { traceId, observationId: spanId }],
  ])("goes to %s at once, without a look-up and without a secret key", async (_, observationId, target) => {
    for (const secretKey of ["sk-1", undefined]) {
      const { deliver, requests } = against(noObservations, { secretKey });
      expect(await deliver({ observationId })).toEqual([{ outcome: "delivered" }]);
      const [{ path, body }, ...more] = requests as [SeenRequest];
      expect([path, more]).toEqual([scores, []]);
      const { traceId: trace, observationId: observation, sessionId } = body;
      expect({ trace, observation, sessionId }).toEqual({
        trace: target.traceId,
        observation: "observationId" in target ? target.observationId : undefined,
        sessionId: undefined,
      });
    }
  });
});

describe("a score of an observation in Langfuse", () => {
  it("goes to the observation's trace, looked up once for all its scores", async () => {
    const { deliver, requests, sent } = against(() => ({
      data: [{ id: "obs-1", traceId: "trace-1" }],
      meta: {},
    }));
    await deliver({ id: "a", observationId: "obs-1" }, { id: "b", observationId: "obs-1" });
    await deliver({ id: "c", observationId: "obs-1" });
    expect(sent().map(({ body }) => [body.traceId, body.observationId, body.sessionId])).toEqual(
      times(3, ["trace-1", "obs-1", undefined]),
    );
    const lookups = requests.filter(({ path }) => path.startsWith(second));
    expect(lookups).toHaveLength(1);
    const query = new URLSearchParams(lookups[0]?.path.split("?")[1]);
    expect(JSON.parse(query.get("filter")!)).toEqual([
      { type: "string", column: "id", operator: "=", value: "obs-1" },
    ]);
  });

  it("is found on a server that knows only the first version of the route, which is then asked first", async () => {
    const { deliver, requests, sent } = against(({ path }) =>
      path.startsWith(second)
        ? noObservations()
        : { id: "obs", traceId: `trace-of-${path.slice(first.length)}` },
    );
    await deliver({ observationId: "obs 1" });
    await deliver({ observationId: "obs-2" });
    expect(sent().map(({ body }) => body.traceId)).toEqual(["trace-of-obs%201", "trace-of-obs-2"]);
    expect(requests.filter(({ path }) => path.startsWith(second))).toHaveLength(1);
  });

  const unknown: [string, () => Response | object][] = [
    ["the first version of the route", noObservations],
    ["the second version of the route", () => ({ data: [], meta: {} })],
  ];
  const quarterLater = Date.parse(aScore().at) + 15 * 60_000;

  it.each(unknown)(
    "waits 15 minutes for an observation that is unknown to %s, and says so",
    async (_, answer) => {
      const { deliver, sent } = against(answer, { clock: () => quarterLater - 1 });
      expect(await deliver({ observationId: "obs-1" })).toEqual([
        { outcome: "retry", reason: expect.stringContaining("no such observation yet; 15 minutes") },
      ]);
      expect(sent()).toEqual([]);
    },
  );

  it.each(unknown)("then goes to the session with the observation in its metadata: %s", async (_, answer) => {
    const { deliver, sent } = against(answer, { clock: () => quarterLater });
    expect(await deliver({ observationId: "obs-1" })).toEqual([{ outcome: "delivered" }]);
    expect(sent()[0]?.body).toMatchObject({ sessionId: "session-1", metadata: { observationId: "obs-1" } });
    expect(sent()[0]?.body).not.toHaveProperty("observationId");
    expect(sent()[0]?.body).not.toHaveProperty("traceId");
  });

  it("goes to the observation's trace when that comes to light meanwhile", async () => {
    let isThere = false;
    const { deliver, sent } = against(() => ({ data: isThere ? [{ traceId: "trace-1" }] : [], meta: {} }));
    expect(await deliver({ observationId: "obs-1" })).toMatchObject([{ outcome: "retry" }]);
    isThere = true;
    expect(await deliver({ observationId: "obs-1" })).toEqual([{ outcome: "delivered" }]);
    expect(sent()[0]?.body).toMatchObject({ traceId: "trace-1", observationId: "obs-1" });
  });

  it("goes to the session at once when the key may not read: waiting would not help", async () => {
    const { deliver, sent } = against(() => Response.json({}, { status: 403 }));
    expect(await deliver({ observationId: "obs-1" })).toEqual([{ outcome: "delivered" }]);
    expect(sent()[0]?.body).toMatchObject({ sessionId: "session-1" });
  });

  it.each([200, 403, 404])("waits when something in between answers the look-up with %i", async (status) => {
    const page = () => new Response("<html>Please sign in</html>", { status });
    const { deliver, sent } = against(page, { clock: () => quarterLater });
    expect(await deliver({ observationId: "obs-1" })).toMatchObject([{ outcome: "retry", scope: "sink" }]);
    expect(sent()).toEqual([]);
  });

  it.each([429, 500, 503])(
    "waits when the look-up answers %i: another target would be another score",
    async (status) => {
      const { deliver, sent } = against(
        () => new Response("busy", { status, headers: { "retry-after": "7" } }),
      );
      expect(await deliver({ observationId: "obs-1" })).toMatchObject([
        { outcome: "retry", scope: "sink", afterInMs: 7000 },
      ]);
      expect(sent()).toEqual([]);
    },
  );

  it("goes to the session without a look-up when there is no secret key to look with", async () => {
    const { deliver, requests } = against(noObservations, { secretKey: undefined });
    expect(await deliver({ observationId: "obs-1" })).toEqual([{ outcome: "delivered" }]);
    expect(requests).toMatchObject([{ path: scores, body: { sessionId: "session-1" } }]);
  });

  it("without a session waits a day for the observation, then gives up", async () => {
    const parts = { sessionId: null, observationId: "obs-1" };
    expect(await against(noObservations).deliver(parts)).toMatchObject([{ outcome: "retry" }]);
    const dayLater = { clock: () => now + 24 * 60 * 60 * 1000 };
    expect(await against(noObservations, dayLater).deliver(parts)).toMatchObject([{ outcome: "permanent" }]);
  });
});

describe("keys for Langfuse", () => {
  it("are sent as Basic with both, and as Bearer with the public key alone", async () => {
    const both = against(noObservations);
    await both.deliver({});
    expect(both.sent()[0]?.headers.get("authorization")).toBe(`Basic ${btoa("pk-1:sk-1")}`);
    const one = against(noObservations, { secretKey: undefined });
    await one.deliver({});
    expect(one.sent()[0]?.headers.get("authorization")).toBe("Bearer pk-1");
  });
});

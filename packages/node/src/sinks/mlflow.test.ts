import { describe, expect, it } from "vitest";
import { mlflow, type MlflowOptions } from "./mlflow.ts";
import { aScore, fakeFetch, type SeenRequest, untilAborted } from "./score.fixture.ts";

const now = Date.parse("2026-11-21T08:01:00.000Z");
const search = "/api/3.0/mlflow/traces/search";
const assessments = "/api/3.0/mlflow/traces/tr-1/assessments";
const refusal = (status: number, code: string) => Response.json({ error_code: code }, { status });

function against(answer: (request: SeenRequest) => Response | object, options: MlflowOptions = {}) {
  const { fetch, requests } = fakeFetch(answer);
  const sink = mlflow({ baseUrl: "http://mlflow.test", fetch, clock: () => now, ...options });
  return { requests, deliver: (score: object) => sink.deliver([aScore(score)], untilAborted()) };
}

const working = ({ path, body }: SeenRequest) =>
  path === search
    ? { traces: [{ trace_id: "tr-1" }] }
    : { assessment: { assessment_id: body.assessment.assessment_id } };

describe("what is assessed in MLflow", () => {
  it("is the session's first trace, looked up once, as MLflow's own assessments of sessions", async () => {
    const { deliver, requests } = against(working, { experimentIds: ["3", "4"] });
    await deliver({ id: "a" });
    await deliver({ id: "b" });
    expect(requests.map(({ path }) => path)).toEqual([search, assessments, assessments]);
    expect(requests[0]?.body).toEqual({
      locations: ["3", "4"].map((id) => ({
        type: "MLFLOW_EXPERIMENT",
        mlflow_experiment: { experiment_id: id },
      })),
      filter: 'metadata.`mlflow.trace.session` = "session-1"',
      order_by: ["timestamp_ms ASC"],
      max_results: 1,
    });
    expect(requests[1]?.body.assessment).toMatchObject({
      assessment_id: "a",
      assessment_name: "afterword_srv_csat",
      trace_id: "tr-1",
      source: { source_type: "HUMAN", source_id: "afterword" },
      feedback: { value: 4 },
      rationale: "Found it at once",
      create_time: "2026-11-21T08:00:00.000Z",
      metadata: {
        "mlflow.trace.session": "session-1",
        "afterword.id": "a",
        "afterword.survey_id": "srv_csat",
        "afterword.survey_type": "csat",
        "afterword.label": "satisfied",
        "afterword.normalised": "0.75",
        "afterword.task_type": "search",
        "afterword.session_id": "session-1",
        "afterword.at": "2026-11-21T08:00:00.000Z",
      },
    });
  });

  const traceId = "0af7651916cd43dd8448eb211c80319c";

  it.each([
    ["tr-1", "tr-1"],
    [traceId, `tr-${traceId}`],
    [`${traceId}-b7ad6b7169203331`, `tr-${traceId}`],
  ])("is the trace that the observation id %s names", async (observationId, trace) => {
    const { deliver, requests } = against(working);
    await deliver({ observationId });
    expect(requests.map(({ path }) => path)).toEqual([`/api/3.0/mlflow/traces/${trace}/assessments`]);
    const { trace_id, metadata } = requests[0]?.body.assessment ?? {};
    expect(trace_id).toBe(trace);
    expect(metadata).not.toHaveProperty("mlflow.trace.session");
  });

  it("is what the resolver says", async () => {
    const { deliver, requests } = against(working, {
      resolveTarget: () => ({ traceId: "tr-1", spanId: "s1" }),
    });
    await deliver({});
    expect(requests[0]?.body.assessment).toMatchObject({ trace_id: "tr-1", span_id: "s1" });
  });

  it.each([
    [`it's`, `"it's"`],
    [`say "hi"`, `'say "hi"'`],
  ])("is found by a session id with quotes: %s", async (sessionId, quoted) => {
    const { deliver, requests } = against(working);
    await deliver({ sessionId });
    expect(requests[0]?.body.filter).toBe(`metadata.\`mlflow.trace.session\` = ${quoted}`);
  });

  it("cannot be searched for by a session id that would break out of its quotes", async () => {
    const { deliver, requests } = against(working);
    expect(await deliver({ sessionId: `'"` })).toMatchObject([{ outcome: "permanent" }]);
    expect(requests).toEqual([]);
  });
});

describe("a score that MLflow has already", () => {
  it("is delivered: MLflow means it by an internal error, and is asked", async () => {
    const { deliver, requests } = against(({ path, method }) => {
      if (path === search) return { traces: [{ trace_id: "tr-1" }] };
      return method === "POST"
        ? refusal(500, "INTERNAL_ERROR")
        : { assessment: { assessment_id: aScore().id } };
    });
    expect(await deliver({})).toEqual([{ outcome: "delivered" }]);
    expect(requests.at(-1)).toMatchObject({ method: "GET", path: `${assessments}/${aScore().id}` });
  });

  it("is retried when the internal error was one", async () => {
    const { deliver } = against(({ path, method }) => {
      if (path === search) return { traces: [{ trace_id: "tr-1" }] };
      return method === "POST" ? refusal(500, "INTERNAL_ERROR") : refusal(404, "RESOURCE_DOES_NOT_EXIST");
    });
    expect(await deliver({})).toMatchObject([{ outcome: "retry" }]);
  });

  it("is delivered also when it is on a trace that was the first before an earlier one came", async () => {
    const { deliver, requests } = against(({ path, method, body }) => {
      if (method === "GET") return refusal(404, "RESOURCE_DOES_NOT_EXIST");
      if (path !== search) return refusal(500, "INTERNAL_ERROR");
      if (body.max_results === 1) return { traces: [{ trace_id: "tr-1" }] };
      if (body.page_token === undefined) return { traces: [{ trace_id: "tr-1" }], next_page_token: "2" };
      return { traces: [{ trace_id: "tr-2", assessments: [{ assessment_id: aScore().id }] }] };
    });
    expect(await deliver({})).toEqual([{ outcome: "delivered" }]);
    expect(requests.at(-1)?.body.page_token).toBe("2");
  });

  it.each(["x".repeat(51), "a b", "ü"])(
    "is known by the same id each time, also where MLflow could not take it: %s",
    async (id) => {
      const { deliver, requests } = against(working);
      await deliver({ id });
      await deliver({ id });
      const sent = requests
        .filter(({ path }) => path === assessments)
        .map(({ body }) => body.assessment.assessment_id);
      expect(sent[0]).toBe(sent[1]);
      expect(sent[0]).toMatch(/^[\w-]{1,50}$/);
    },
  );
});

describe("a trace that MLflow does not have", () => {
  it.each([
    ["no trace of the session", ({ path }: SeenRequest) => (path === search ? {} : refusal(500, "X"))],
    [
      "a trace that is gone",
      ({ path }: SeenRequest) =>
        path === search ? { traces: [{ trace_id: "tr-1" }] } : refusal(404, "RESOURCE_DOES_NOT_EXIST"),
    ],
  ])("is waited for a day: %s", async (_, answer) => {
    expect(await against(answer).deliver({})).toMatchObject([{ outcome: "retry" }]);
    const late = { clock: () => now + 24 * 60 * 60 * 1000 };
    expect(await against(answer, late).deliver({})).toMatchObject([{ outcome: "permanent" }]);
  });

  it("is looked up again when it was deleted, and the rating goes to the session's next trace", async () => {
    let first = "tr-1";
    const { deliver, requests } = against(({ path, body }) => {
      if (path === search) return { traces: [{ trace_id: first }] };
      if (!path.includes(first)) return refusal(404, "RESOURCE_DOES_NOT_EXIST");
      return { assessment: { assessment_id: body.assessment.assessment_id } };
    });
    expect(await deliver({ id: "a" })).toEqual([{ outcome: "delivered" }]);
    first = "tr-2";
    expect(await deliver({ id: "b" })).toEqual([{ outcome: "delivered" }]);
    expect(requests.at(-1)?.path).toBe("/api/3.0/mlflow/traces/tr-2/assessments");
  });

  it.each([null, [], "", { traces: "none" }, { traces: [{}] }])(
    "is not made up out of an answer that names none: %j",
    async (answer) => {
      const { deliver, requests } = against(() => Response.json(answer));
      expect(await deliver({})).toMatchObject([{ outcome: "retry" }]);
      expect(requests.map(({ path }) => path)).toEqual([search]);
    },
  );

  it("is not to be confused with an address that is no MLflow, nor with a key that is wrong", async () => {
    for (const status of [404, 401]) {
      const { deliver } = against(() => new Response("no", { status }));
      expect(await deliver({})).toMatchObject([{ outcome: "fatal" }]);
    }
  });
});

describe("keys for MLflow", () => {
  it("are Bearer, or Basic with a user name", async () => {
    const bearer = against(working, { token: "t" });
    await bearer.deliver({});
    expect(bearer.requests[0]?.headers.get("authorization")).toBe("Bearer t");
    const basic = against(working, { username: "u", token: async () => "p" });
    await basic.deliver({});
    expect(basic.requests[0]?.headers.get("authorization")).toBe(`Basic ${btoa("u:p")}`);
    const umlaut = against(working, { username: "ü", token: "p" });
    await umlaut.deliver({});
    expect(umlaut.requests[0]?.headers.get("authorization")).toBe("Basic w7w6cA==");
  });
});

import { describe, expect, it } from "vitest";
import { otlp, type OtlpOptions } from "./otlp.ts";
import { aScore, fakeFetch, untilAborted } from "./score.fixture.ts";

const trace = "0af7651916cd43dd8448eb211c80319c";
const span = "b7ad6b7169203331";

async function sent(score: object = {}, options: OtlpOptions = {}, reply: object = {}) {
  const { fetch, requests } = fakeFetch(() => reply);
  const sink = otlp({ fetch, clock: () => Date.parse("2026-11-21T08:00:05.000Z"), ...options });
  const [outcome] = await sink.deliver([aScore(score)], untilAborted());
  const [resource] = requests[0]?.body.resourceLogs ?? [];
  const [record] = resource?.scopeLogs[0].logRecords ?? [];
  const attributes = Object.fromEntries(
    (record?.attributes ?? []).map(({ key, value }: { key: string; value: object }) => [
      key,
      Object.values(value)[0],
    ]),
  );
  return { outcome, request: requests[0], resource, record, attributes };
}

describe("an evaluation as an OpenTelemetry event", () => {
  it("is named and described as the GenAI conventions say, with the session as the conversation", async () => {
    const { request, resource, record, attributes } = await sent({}, { serviceName: "shop-agent" });
    expect(request).toMatchObject({ method: "POST", path: "/v1/logs" });
    expect(resource.resource.attributes).toEqual([
      { key: "service.name", value: { stringValue: "shop-agent" } },
    ]);
    expect(record).toMatchObject({
      eventName: "gen_ai.evaluation.result",
      timeUnixNano: "1795248000000000000",
      observedTimeUnixNano: "1795248005000000000",
    });
    expect(attributes).toEqual({
      "event.name": "gen_ai.evaluation.result",
      "gen_ai.evaluation.name": "afterword.srv_csat",
      "gen_ai.evaluation.score.value": 4,
      "gen_ai.evaluation.score.label": "satisfied",
      "gen_ai.evaluation.explanation": "Found it at once",
      "gen_ai.conversation.id": "session-1",
      "afterword.response.id": aScore().id,
      "afterword.survey.id": "srv_csat",
      "afterword.survey.type": "csat",
      "afterword.score.normalised": 0.75,
      "afterword.task.type": "search",
    });
  });

  it.each<[object, string]>([
    [{}, "survey srv_csat, rating 4 (satisfied), session session-1"],
    [{ observationId: "o-7", sessionId: null }, "survey srv_csat, rating 4 (satisfied), observation o-7"],
    [
      { observationId: "o-7", label: null, rating: 0 },
      "survey srv_csat, rating 0, session session-1, observation o-7",
    ],
    [{ rating: null, label: null }, "survey srv_csat, text without a rating, session session-1"],
  ])("of %j has a body that names survey, rating and run, and no word of the person", async (score, body) => {
    expect((await sent(score)).record.body).toEqual({ stringValue: body });
  });

  it.each([
    [`${trace}-${span}`, "trace and span"],
    [`00-${trace.toUpperCase()}-${span}-01`, "a traceparent"],
  ])("is parented to the span that the observation id names: %s is %s", async (observationId) => {
    const { record, attributes } = await sent({ observationId });
    expect(record).toMatchObject({ traceId: trace, spanId: span });
    expect(attributes["afterword.observation.id"]).toBe(observationId);
  });

  it("belongs to the trace where the run reference names no span", async () => {
    const { record, attributes } = await sent({ observationId: trace });
    expect(record).toMatchObject({ traceId: trace });
    expect(record).not.toHaveProperty("spanId");
    expect(attributes).not.toHaveProperty("gen_ai.response.id");
  });

  it.each([span, "chatcmpl-7"])(
    "is parented to no span that it would have to guess: %s is the id of the model's reply",
    async (observationId) => {
      const { record, attributes } = await sent({ observationId });
      expect(record).not.toHaveProperty("traceId");
      expect(record).not.toHaveProperty("spanId");
      expect(attributes["gen_ai.response.id"]).toBe(observationId);
    },
  );

  it("is parented to what the resolver says", async () => {
    const { record } = await sent({}, { resolveTarget: async () => ({ traceId: trace, spanId: span }) });
    expect(record).toMatchObject({ traceId: trace, spanId: span });
    const early = { resolveTarget: () => null, clock: () => Date.parse(aScore().at) };
    expect((await sent({}, early)).outcome).toMatchObject({ outcome: "retry" });
  });

  it("that the collector rejects inside a 200 is refused for good, as OTLP demands", async () => {
    const rejected = { partialSuccess: { rejectedLogRecords: "1", errorMessage: "no" } };
    expect((await sent({}, {}, rejected)).outcome).toMatchObject({ outcome: "permanent" });
    const warned = { partialSuccess: { rejectedLogRecords: "0", errorMessage: "mind this" } };
    expect((await sent({}, {}, warned)).outcome).toEqual({ outcome: "delivered" });
  });

  it("of nothing, or about nothing, is not sent", async () => {
    expect((await sent({ rating: null, text: null })).outcome).toMatchObject({ outcome: "permanent" });
    expect((await sent({ sessionId: null })).outcome).toMatchObject({ outcome: "permanent" });
  });
});

import { describe, expect, it } from "vitest";
import { datadog } from "./datadog.ts";
import { aScore, datadogReply, fakeFetch, untilAborted } from "./score.fixture.ts";

async function metricOf(score: object) {
  const { fetch, requests } = fakeFetch(() => datadogReply());
  const sink = datadog({ apiKey: "key", mlApp: "shop", site: "datadoghq.eu", fetch });
  const [outcome] = await sink.deliver([aScore(score)], untilAborted());
  return { outcome, metric: requests[0]?.body.data.attributes.metrics[0], requests };
}

describe("feedback in Datadog", () => {
  it("carries what the score says, with the response's id and time to know a repetition by", async () => {
    const { metric } = await metricOf({});
    expect(metric).toEqual({
      event_kind: "feedback",
      label: "afterword_srv_csat",
      metric_type: "score",
      score_value: 4,
      reasoning: "Found it at once",
      session_id: "session-1",
      ml_app: "shop",
      submitter: { id: "respondent", type: "user" },
      timestamp_ms: Date.parse(aScore().at),
      tags: [
        "ml_app:shop",
        `afterword_id:${aScore().id}`,
        "survey_id:srv_csat",
        "survey_type:csat",
        "rating_label:satisfied",
        "rating_normalised:0.75",
        "task_type:search",
        "session_id:session-1",
      ],
    });
  });

  it.each([
    ["12345678901234567890", { span_id: "12345678901234567890" }],
    ["b7ad6b7169203331", { span_id: "b7ad6b7169203331" }],
    ["0af7651916cd43dd8448eb211c80319c", { trace_id: "0af7651916cd43dd8448eb211c80319c" }],
    [`0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331`, { span_id: "13235353014750950193" }],
    ["turn-7", { session_id: "session-1" }],
  ])("of the observation %s has exactly one target", async (observationId, target) => {
    const { metric } = await metricOf({ observationId });
    const targets = ["span_id", "trace_id", "session_id"].filter((key) => key in metric);
    expect(targets).toEqual(Object.keys(target));
    expect(metric).toMatchObject(target);
    expect(metric.tags).toContain(`observation_id:${observationId}`);
  });

  it("without a rating is a text, and without either is refused", async () => {
    expect((await metricOf({ rating: null })).metric).toMatchObject({
      metric_type: "text",
      text_value: "Found it at once",
    });
    for (const text of [null, ""]) {
      const { outcome, requests } = await metricOf({ rating: null, text });
      expect([outcome?.outcome, requests]).toEqual(["permanent", []]);
    }
  });

  it("without session and observation is refused", async () => {
    expect((await metricOf({ sessionId: null })).outcome).toMatchObject({ outcome: "permanent" });
  });

  it("needs the name of the application", () => {
    expect(() => datadog({ apiKey: "key", mlApp: "" })).toThrow(/mlApp/);
  });
});

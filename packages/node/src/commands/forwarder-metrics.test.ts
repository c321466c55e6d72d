import { describe, expect, it } from "vitest";
import type { SinkHealth } from "../delivery/forwarder-status.ts";
import { defineSink, type DeliverableScore, type Outcome } from "../scores/sink.ts";
import { ForwarderMetrics, reasonLabel } from "./forwarder-metrics.ts";

const options = { signal: new AbortController().signal };
const scores = [{ id: "row-1" }] as DeliverableScore[];
const idle = { sinks: [], leased: { count: 0, until: null }, unacknowledged: 0, stalled: null };
const scrape = async (metrics: ForwarderMetrics, sinks: SinkHealth[] = [], polling = 0) =>
  metrics.text({ ...idle, sinks, serviceFailures: { polling, acknowledging: 0 } });

/** Lets a watched sink answer this; gives the samples of one metric. */
async function samplesAfter(outcomes: Outcome[], metric: string): Promise<string[]> {
  const metrics = new ForwarderMetrics();
  for (const outcome of outcomes) {
    const sink = metrics.watch(defineSink({ name: "phoenix", deliver: async () => [outcome] }));
    expect(await sink.deliver(scores, options)).toEqual([outcome]);
  }
  return (await scrape(metrics))
    .split("\n")
    .filter((line) => line.startsWith(`afterword_forwarder_${metric}{`));
}

describe("the forwarder's metrics", () => {
  it.each([
    ["phoenix: POST /v1/span_annotations answered 422 invalid_id (request abc)", "422"],
    ["mlflow: POST /x answered 200: no trace of the session", "200"],
    ["phoenix: POST /v1/span_annotations had no answer within 10000 ms", "timeout"],
    ["phoenix: POST /v1/span_annotations was aborted", "timeout"],
    ["phoenix: POST /v1/span_annotations failed: ECONNREFUSED", "io"],
    ["jsonl: writing scores.jsonl failed: ENOSPC", "io"],
    ["opik: a score needs a rating", "other"],
    ["answered 99999 times", "other"],
  ])("turn the reason '%s' into the label '%s'", (reason, label) => {
    expect(reasonLabel(reason)).toBe(label);
  });

  it("have no more time series after a thousand different reasons", async () => {
    const refusals = Array.from({ length: 1000 }, (_, count): Outcome => {
      return { outcome: "permanent", reason: `the person ${count} wrote too much` };
    });
    expect(await samplesAfter(refusals, "failed_total")).toEqual([
      'afterword_forwarder_failed_total{sink="phoenix",reason="other"} 1000',
    ]);
  });

  it("count what the sink accepted, what it refused, and what has to be repeated", async () => {
    const outcomes: Outcome[] = [
      { outcome: "delivered" },
      { outcome: "permanent", reason: "phoenix: POST /x answered 400" },
      { outcome: "retry", reason: "phoenix: POST /x answered 404" },
      { outcome: "retry", scope: "sink", reason: "phoenix: POST /x answered 503" },
      { outcome: "fatal", reason: "phoenix: POST /x answered 401" },
    ];
    const samples = async (metric: string) =>
      (await samplesAfter(outcomes, metric)).map((line) => line.slice("afterword_forwarder_".length));
    expect(await samples("delivered_total")).toEqual(['delivered_total{sink="phoenix"} 1']);
    expect(await samples("failed_total")).toEqual(['failed_total{sink="phoenix",reason="400"} 1']);
    expect(await samples("retries_total")).toEqual(['retries_total{sink="phoenix"} 3']);
    expect(await samples("sink_errors_total")).toEqual([
      'sink_errors_total{sink="phoenix",reason="503"} 1',
      'sink_errors_total{sink="phoenix",reason="401"} 1',
    ]);
    expect(await samples("sink_duration_seconds_count")).toEqual([
      'sink_duration_seconds_count{sink="phoenix"} 5',
    ]);
  });

  it("show the health of the moment, and add nothing up over two scrapes", async () => {
    const metrics = new ForwarderMetrics();
    const counts = { delivered: 0, failed: 0, retried: 0 };
    const health = { sink: "phoenix", ...counts, pending: 3, lagInMs: 1500, lastProblem: null };
    await scrape(metrics, [health], 2);
    const lines = (await scrape(metrics, [health], 2)).split("\n");
    expect(lines).toContain('afterword_forwarder_pending{sink="phoenix"} 3');
    expect(lines).toContain('afterword_forwarder_lag_seconds{sink="phoenix"} 1.5');
    expect(lines).toContain('afterword_forwarder_service_errors_total{call="polling"} 2');
  });

  it("time a call that throws, and let its error through", async () => {
    const metrics = new ForwarderMetrics();
    const broken = defineSink({
      name: "broken",
      deliver: async () => {
        throw new Error("broken");
      },
    });
    await expect(metrics.watch(broken).deliver(scores, options)).rejects.toThrow("broken");
    expect(await scrape(metrics)).toContain(
      'afterword_forwarder_sink_duration_seconds_count{sink="broken"} 1',
    );
  });
});

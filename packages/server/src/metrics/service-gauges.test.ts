import { describe, expect, it } from "vitest";
import { Load } from "../health/load.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { type QueueFacts } from "../store/administration.ts";
import { Metrics } from "./metrics.ts";
import { addServiceGauges } from "./service-gauges.ts";

function world(facts: () => Promise<QueueFacts[]>) {
  let now = 1_000_000;
  let asked = 0;
  const queueFacts = () => {
    asked += 1;
    return facts();
  };
  const service = {
    clock: { now: () => now, monotonic: () => now },
    deletionClock: { read: async () => ({ now, aheadInMs: 7_200_000, isHeld: true, skewInMs: -500 }) },
    directory: { projects: [] },
    store: { administration: { queueFacts } },
  } as unknown as OperatedService;
  const metrics = new Metrics();
  addServiceGauges(metrics, { service, load: new Load() });
  const lines = async (name: string) =>
    (await metrics.text()).split("\n").filter((line) => line.startsWith(name) && !line.startsWith("#"));
  return { lines, asked: () => asked, pass: (ms: number) => (now += ms) };
}

const fact = (index: number): QueueFacts => ({
  projectId: `p${index}`,
  pending: index,
  failed: 1,
  oldestPendingAt: 1_000_000 - index * 1000,
});

describe("gauges of the service", () => {
  it("show whether deletions wait for the clock, and how far it is off", async () => {
    const { lines } = world(async () => []);
    expect(await lines("afterword_deletions_held")).toEqual(["afterword_deletions_held 1"]);
    expect(await lines("afterword_clock")).toEqual(["afterword_clock_skew_seconds -0.5"]);
  });

  it("query the database at most once in five seconds, however many metrics need the result", async () => {
    const { lines, asked, pass } = world(async () => [fact(1)]);
    await lines("afterword_queue");
    await lines("afterword_queue");
    expect(asked()).toBe(1);
    pass(5000);
    await lines("afterword_queue");
    expect(asked()).toBe(2);
  });

  it("give the first hundred projects their own time series, and the others a common one", async () => {
    const { lines } = world(async () => Array.from({ length: 150 }, (_, index) => fact(index)));
    const pending = await lines("afterword_queue_pending");
    expect(pending).toHaveLength(101);
    // 100 + 101 + … + 149
    expect(pending).toContain('afterword_queue_pending{project="(other projects)"} 6225');
    const ages = await lines("afterword_queue_oldest_pending_age_seconds");
    expect(ages).toContain('afterword_queue_oldest_pending_age_seconds{project="(other projects)"} 149');
  });

  it("forget a project that is gone", async () => {
    let facts = [fact(1), fact(2)];
    const { lines, pass } = world(async () => facts);
    expect(await lines("afterword_queue_failed")).toHaveLength(2);
    facts = [fact(2)];
    pass(5000);
    expect(await lines("afterword_queue_failed")).toEqual(['afterword_queue_failed{project="p2"} 1']);
  });

  it("are left out after a failed query, which is retried at once", async () => {
    let isBroken = true;
    const { lines } = world(async () => (isBroken ? Promise.reject(new Error("gone")) : [fact(1)]));
    expect(await lines("afterword_queue")).toEqual([]);
    expect(await lines("afterword_deletions_held")).toHaveLength(1);
    isBroken = false;
    expect(await lines("afterword_queue_pending")).toHaveLength(1);
  });
});

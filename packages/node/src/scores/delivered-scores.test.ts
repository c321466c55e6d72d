import type { SurveyType } from "@afterword/protocol";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestService, type TestService } from "../client/service.fixture.ts";
import { aForwarder, delivered } from "../delivery/forwarder.fixture.ts";
import { aPendingScore, TestQueue } from "../delivery/score-queue.fixture.ts";
import { defineSink, type DeliverableScore } from "../forwarder.ts";

type Load = (key: string) => Promise<Record<string, SurveyType>>;

function aRun(load: Load, options: object = {}) {
  const queue = Object.assign(new TestQueue(1), { surveyTypes: vi.fn<Load>(load) });
  const seen: DeliverableScore[] = [];
  const sink = defineSink({
    name: "seen",
    async deliver(scores) {
      seen.push(...scores);
      return scores.map(() => delivered);
    },
  });
  const { clock, forwarder } = aForwarder(queue, sink, { publishableKey: "aw_pk_x", ...options });
  return { clock, queue, seen, run: () => clock.until(forwarder.runOnce()) };
}

describe("what people wrote", () => {
  it.each([
    ["is left out unless the sink keeps it on this machine", undefined, null],
    ["goes along when that is asked for", "include" as const, "words"],
  ])("%s", async (_, text, expected) => {
    const { queue, seen, run } = aRun(async () => ({}), { text });
    queue.add(aPendingScore(2, { text: "words" }));
    await run();
    expect(seen[1]!.text).toBe(expected);
  });
});

describe("the meaning of a rating, with a publishable key", () => {
  it("comes from the service, asked once", async () => {
    const { queue, seen, run } = aRun(async () => ({ "survey-1": "csat" }));
    queue.add(aPendingScore(2));
    await run();
    expect(seen.map(({ surveyType, normalised, label }) => [surveyType, normalised, label])).toEqual([
      ["csat", 0.75, "satisfied"],
      ["csat", 0.75, "satisfied"],
    ]);
    expect(queue.surveyTypes).toHaveBeenCalledExactlyOnceWith("aw_pk_x", { signal: expect.any(AbortSignal) });
  });

  it("comes from the given map first", async () => {
    const { queue, seen, run } = aRun(async () => ({}), { surveys: { "survey-1": "nps" } });
    await run();
    expect(seen[0]).toMatchObject({ surveyType: "nps", normalised: 0.4, label: "detractor" });
    expect(queue.surveyTypes).not.toHaveBeenCalled();
  });

  it("is missing, and nothing else, when the look-up fails: the name stays the same", async () => {
    const { seen, run } = aRun(() => Promise.reject(new Error("down")));
    await expect(run()).resolves.toMatchObject({ delivered: 1 });
    expect(seen[0]).toMatchObject({
      rating: 4,
      normalised: null,
      surveyType: null,
      name: "afterword.survey-1",
    });
  });

  it("is looked up again for a new survey, at most every five minutes", async () => {
    const types: Record<string, SurveyType> = { "survey-1": "csat" };
    const { clock, queue, seen, run } = aRun(async () => types);
    await run();
    types["survey-2"] = "ces";
    queue.add(aPendingScore(2, { surveyId: "survey-2" }));
    await run();
    expect(seen[1]).toMatchObject({ surveyType: null });
    await clock.advance(300_000);
    queue.add(aPendingScore(3, { surveyId: "survey-2" }));
    await run();
    expect(seen[2]).toMatchObject({ surveyType: "ces" });
    expect(queue.surveyTypes).toHaveBeenCalledTimes(2);
  });

  it("is refused with a secret key in the publishable one's place", () => {
    expect(() => aRun(async () => ({}), { publishableKey: "aw_sk_x" })).toThrow("is a secret key");
  });
});

describe("against the real service", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startTestService()));
  afterAll(() => service[Symbol.asyncDispose]());

  it("types come by the publishable key, and the secret key does not go along", async () => {
    const sent: Headers[] = [];
    const client = service.client({
      fetch: (input, init) => {
        sent.push((input as Request).headers);
        return fetch(input, init);
      },
    });
    await expect(client.surveyTypes(service.publishableKey)).resolves.toEqual({ csat: "csat", nps: "nps" });
    expect(sent.map((headers) => headers.get("authorization"))).toEqual([null]);
  });
});

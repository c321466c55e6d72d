import { phoenix, type Sink } from "@afterword/node/forwarder";
import { randomBytes, randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { aRating } from "./a-rating.ts";
import { PhoenixServer } from "./phoenix-server.ts";
import { realServer } from "./real-server.ts";

const baseUrl = realServer("Phoenix", "PHOENIX_BASE_URL");
const { signal } = new AbortController();
const hex = (bytes: number) => randomBytes(bytes).toString("hex");

describe.skipIf(baseUrl === undefined)("a rating in a real Phoenix", () => {
  const server = new PhoenixServer(baseUrl ?? "");
  let sink: Sink;
  let agentRun: { sessionId: string; traceId: string; spanId: string };

  beforeEach(async () => {
    sink = phoenix({ baseUrl });
    agentRun = { sessionId: `session-${randomUUID()}`, traceId: hex(16), spanId: hex(8) };
    await server.record(agentRun);
  });

  const deliver = async (...ratings: Parameters<typeof aRating>[0][]) =>
    await sink.deliver(
      ratings.map((parts) => aRating({ sessionId: agentRun.sessionId, ...parts })),
      { signal },
    );

  it("is an annotation of its session with score, label, words and what it is about", async () => {
    const id = randomUUID();
    expect(await deliver({ id })).toEqual([{ outcome: "delivered" }]);
    expect(await server.annotations("session", agentRun.sessionId)).toMatchObject([
      {
        name: "afterword.srv_csat",
        annotator_kind: "HUMAN",
        identifier: id,
        result: { score: 4, label: "satisfied", explanation: "Found it at once" },
        metadata: { surveyType: "csat", normalised: 0.75, taskType: "search" },
      },
    ]);
  });

  it("is there once when it is delivered twice, and two people's ratings are both there", async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await deliver({ id });
    await deliver({ id, rating: 5, label: "satisfied" }, { id: other, rating: 1, label: "dissatisfied" });
    const scores = (await server.annotations("session", agentRun.sessionId)).map(
      ({ result }) => result.score,
    );
    expect(scores.toSorted()).toEqual([1, 5]);
  });

  it("keeps words of every script, and none when there are none", async () => {
    const text = "très bien 🙂\n\u202eright to left\u202c 中文";
    await deliver({ id: randomUUID(), text });
    expect(await server.annotations("session", agentRun.sessionId)).toMatchObject([
      { result: { explanation: text } },
    ]);
    const silent = randomUUID();
    await deliver({ id: silent, text: null });
    const all = await server.annotations("session", agentRun.sessionId);
    expect(all.find(({ identifier }) => identifier === silent)?.result.explanation).toBeNull();
  });

  it("is gone after it was erased, and only it", async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await deliver({ id }, { id: other }, { id, observationId: agentRun.spanId });
    const erasable = { id, surveyId: null, name: "afterword.srv_csat", at: null };
    expect(await sink.eraseScores?.([erasable], { signal })).toEqual([{ outcome: "erased" }]);
    expect(await sink.eraseScores?.([erasable], { signal })).toEqual([{ outcome: "erased" }]);
    const left = await server.annotations("session", agentRun.sessionId);
    expect(left.map(({ identifier }) => identifier)).toEqual([other]);
    expect(await server.annotations("span", agentRun.spanId)).toEqual([]);
  });

  it("is refused for good when Phoenix cannot take it, and stops at a path that is not Phoenix's", async () => {
    expect(await deliver({ id: randomUUID(), name: "note" })).toMatchObject([{ outcome: "permanent" }]);
    sink = phoenix({ baseUrl: `${baseUrl}/elsewhere` });
    expect(await deliver({ id: randomUUID() })).toMatchObject([{ outcome: "fatal" }]);
  });
});

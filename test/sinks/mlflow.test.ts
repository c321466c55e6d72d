import { mlflow, type Sink } from "@afterword/node/forwarder";
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { aRating } from "./a-rating.ts";
import { MlflowServer } from "./mlflow-server.ts";
import { realServer } from "./real-server.ts";

const baseUrl = realServer("MLflow", "MLFLOW_BASE_URL");
const { signal } = new AbortController();

describe.skipIf(baseUrl === undefined)("a rating in a real MLflow", () => {
  const server = new MlflowServer(baseUrl ?? "");
  let sink: Sink;
  let sessionId: string;
  let traceId: string;

  beforeEach(async () => {
    sink = mlflow({ baseUrl });
    sessionId = `session-${randomUUID()}`;
    traceId = await server.record(sessionId, new Date(Date.now() - 60_000));
  });

  const deliver = async (...ratings: Parameters<typeof aRating>[0][]) =>
    await sink.deliver(
      ratings.map((parts) => aRating({ sessionId, ...parts })),
      { signal },
    );

  it("is an assessment of its session's first trace with value, words and what it is about", async () => {
    const later = await server.record(sessionId, new Date());
    const id = randomUUID();
    expect(await deliver({ id })).toEqual([{ outcome: "delivered" }]);
    expect(await server.assessments(later)).toEqual([]);
    expect(await server.assessments(traceId)).toMatchObject([
      {
        assessment_id: id,
        assessment_name: "afterword_srv_csat",
        source: { source_type: "HUMAN", source_id: "afterword" },
        feedback: { value: 4 },
        rationale: "Found it at once",
        metadata: {
          "mlflow.trace.session": sessionId,
          "afterword.label": "satisfied",
          "afterword.normalised": "0.75",
        },
      },
    ]);
  });

  it("is there once when it is delivered twice, by one forwarder, by the next, or by two at once", async () => {
    const id = randomUUID();
    await deliver({ id });
    expect(await deliver({ id })).toEqual([{ outcome: "delivered" }]);
    sink = mlflow({ baseUrl });
    expect(await deliver({ id }, { id })).toEqual([{ outcome: "delivered" }, { outcome: "delivered" }]);
    expect(await server.assessments(traceId)).toHaveLength(1);
  });

  it("goes to the session's next trace when the first was deleted", async () => {
    const next = await server.record(sessionId, new Date());
    await deliver({ id: randomUUID() });
    await server.remove(traceId);
    const id = randomUUID();
    expect(await deliver({ id })).toEqual([{ outcome: "delivered" }]);
    expect(await server.assessments(next)).toMatchObject([{ assessment_id: id }]);
  });

  it("keeps words of every script, none when there are none, and words without a rating", async () => {
    const text = "très bien 🙂\n\u202eright to left\u202c 中文";
    await deliver({ id: randomUUID(), text: null });
    await deliver({ id: randomUUID(), rating: null, label: null, normalised: null, text });
    const all = await server.assessments(traceId);
    expect(all.map(({ feedback }) => feedback.value)).toEqual(expect.arrayContaining([4, text]));
    expect(all.map(({ rationale }) => rationale)).toEqual(expect.arrayContaining([undefined, text]));
  });

  it.each(['say "hi"', "it's", "50% off_\\ {x}", "中文 🙂"])(
    "finds a session whose id is %s",
    async (word) => {
      const odd = `${word} ${randomUUID()}`;
      const trace = await server.record(odd, new Date());
      expect(await deliver({ id: randomUUID(), sessionId: odd })).toEqual([{ outcome: "delivered" }]);
      expect(await server.assessments(trace)).toHaveLength(1);
    },
  );
});

import { LangfuseClient } from "@langfuse/client";
import { Client as LangSmithClient } from "langsmith";
import { afterEach, describe, expect, it } from "vitest";
import { type SinkContract } from "./sink-contract.ts";
import { langfuseContract } from "./sink-contracts/langfuse.ts";
import { knownRun, langsmithContract } from "./sink-contracts/langsmith.ts";
import { sessionScore } from "./sink-scores.ts";
import { openStage, type SinkStage } from "./sink-stage.ts";

const { signal } = new AbortController();
let stage: SinkStage | undefined;
afterEach(async () => await stage?.close());

async function onStage(contract: SinkContract) {
  stage = await openStage(contract.play);
  const { id } = sessionScore();
  const outcomes = await contract.makeSink(stage.url, {}).deliver([sessionScore()], { signal });
  expect(outcomes).toEqual([{ outcome: "delivered" }]);
  return { url: stage.url, id, ours: stage.requests.find(contract.isDelivery)! };
}

/** The fakes are only as good as their likeness: what the services' own clients send must pass them, and be alike. */
describe("a fake takes what the service's own client sends, and it is what the sink sends", () => {
  it("langfuse", async () => {
    const contract = langfuseContract();
    const { url, id, ours } = await onStage(contract);
    const client = new LangfuseClient({ baseUrl: url, publicKey: "pk-lf-1", secretKey: "sk-lf-hush" });
    const { environment: _, ...request } = ours.body;
    await expect(client.api.scores.create(request)).resolves.toEqual({ id });

    const theirs = stage!.requests.filter(contract.isDelivery).at(-1)!;
    expect(theirs.body).toEqual(ours.body);
    expect([theirs.method, theirs.path, theirs.headers.authorization]).toEqual([
      ours.method,
      ours.path,
      ours.headers.authorization,
    ]);
    expect(contract.held(id)).toBe(1);

    await client.api.legacy.scoreV1.delete(id);
    expect(contract.held(id)).toBe(0);
    await expect(client.api.scores.create({ name: "", value: 1 })).rejects.toMatchObject({ statusCode: 400 });
  });

  it("langfuse, looking up the trace of an observation", async () => {
    const contract = langfuseContract();
    stage = await openStage(contract.play);
    const sink = contract.makeSink(stage.url, {});
    await sink.deliver([sessionScore({ observationId: "obs-1" })], { signal });
    const ours = stage.requests.find(({ path }) => path.endsWith("/v2/observations"))!;
    const client = new LangfuseClient({ baseUrl: stage.url, publicKey: "pk-lf-1", secretKey: "sk-lf-hush" });
    const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: "obs-1" }]);
    const { data } = await client.api.observations.getMany({ fields: "core", limit: 1, filter });
    const theirs = stage.requests.filter(({ path }) => path.endsWith("/v2/observations")).at(-1)!;
    expect(Object.fromEntries(theirs.query)).toEqual(Object.fromEntries(ours.query));
    expect(data).toMatchObject([{ traceId: "trace-1" }]);
    expect(stage.requests.find(contract.isDelivery)?.body).toMatchObject({
      traceId: "trace-1",
      observationId: "obs-1",
    });
  });

  it("langsmith", async () => {
    const contract = langsmithContract();
    const { url, ours } = await onStage(contract);
    const client = new LangSmithClient({ apiUrl: url, apiKey: "ls-hush", autoBatchTracing: false });
    const {
      score,
      value,
      comment,
      feedback_source: source,
      extend_trace_retention: extendTraceRetention,
    } = ours.body;
    const feedbackId = "3f0e0d0c-0b0a-4900-8807-060504030201";
    const { metadata: sourceInfo } = source;
    const more = { score, value, comment, sourceInfo, extendTraceRetention, sessionId: knownRun.projectId };
    await client.createFeedback(knownRun.runId, ours.body.key, { feedbackId, ...more });

    const theirs = stage!.requests.filter(contract.isDelivery).at(-1)!;
    expect(theirs.body).toEqual({ ...ours.body, id: feedbackId });
    expect(theirs.headers["x-api-key"]).toBe(ours.headers["x-api-key"]);
    await client.deleteFeedback(feedbackId);
    expect(stage!.requests.at(-1)).toMatchObject({ method: "DELETE", path: `/feedback/${feedbackId}` });
  });
});

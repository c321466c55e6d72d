import { createClient as createPhoenixClient } from "@arizeai/phoenix-client";
import { addSessionAnnotation } from "@arizeai/phoenix-client/sessions";
import { addSpanAnnotation } from "@arizeai/phoenix-client/spans";
import { addTraceAnnotation } from "@arizeai/phoenix-client/traces";
import { Braintrust } from "@braintrust/api";
import { type DeliverableScore } from "@afterword/node/forwarder";
import { LangfuseClient } from "@langfuse/client";
import { Client as LangSmithClient } from "langsmith";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { type SinkContract } from "./sink-contract.ts";
import { braintrustContract, projectId } from "./sink-contracts/braintrust.ts";
import { asAgent, datadogContract } from "./sink-contracts/datadog.ts";
import { langfuseContract } from "./sink-contracts/langfuse.ts";
import { knownRun, langsmithContract } from "./sink-contracts/langsmith.ts";
import { knownTargets, phoenixContract } from "./sink-contracts/phoenix.ts";
import { sessionScore, thumbScore } from "./sink-scores.ts";
import { openStage, type SinkStage, type StageRequest } from "./sink-stage.ts";

const { signal } = new AbortController();
let stage: SinkStage | undefined;
afterEach(async () => await stage?.close());

/** Delivers with our sink, which the fake must take, and answers what it sent. */
async function onStage(contract: SinkContract, scores: DeliverableScore[] = [sessionScore()]) {
  stage = await openStage(contract.play);
  const outcomes = await contract.makeSink(stage.url, {}).deliver(scores, { signal });
  expect(outcomes).toEqual(scores.map(() => ({ outcome: "delivered" })));
  const sent = stage.requests.filter(contract.isDelivery);
  return { url: stage.url, requests: stage.requests, id: scores[0]!.id, sent, ours: sent[0]! };
}

/** Where a request goes, and by what it is let in. */
const way = ({ method, path, query, headers }: StageRequest, key = "authorization") => ({
  method,
  path,
  query: Object.fromEntries(query),
  key: headers[key],
});

/** The fakes are only as good as their likeness: what the services' own clients send must pass them, and be alike. */
describe("a fake takes what the service's own client sends, and it is what the sink sends", () => {
  it.each([sessionScore(), thumbScore("up")])("langfuse, of the rating $rating", async (score) => {
    const contract = langfuseContract();
    const { url, id, ours, requests } = await onStage(contract, [score]);
    const client = new LangfuseClient({ baseUrl: url, publicKey: "pk-lf-1", secretKey: "sk-lf-hush" });
    const { environment: _, ...request } = ours.body;
    await expect(client.api.scores.create(request)).resolves.toEqual({ id });

    const theirs = requests.filter(contract.isDelivery).at(-1)!;
    expect(theirs.body).toEqual(ours.body);
    expect(way(theirs)).toEqual(way(ours));
    expect(contract.held(id)).toBe(1);

    await client.api.legacy.scoreV1.delete(id);
    expect(contract.held(id)).toBe(0);
    await expect(client.api.scores.create({ name: "", value: 1 })).rejects.toMatchObject({ statusCode: 400 });
  });

  it("langfuse, looking up the trace of an observation", async () => {
    const contract = langfuseContract();
    const { url, requests, ours } = await onStage(contract, [sessionScore({ observationId: "obs-1" })]);
    const client = new LangfuseClient({ baseUrl: url, publicKey: "pk-lf-1", secretKey: "sk-lf-hush" });
    const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: "obs-1" }]);
    const { data } = await client.api.observations.getMany({ fields: "core", limit: 1, filter });
    const [lookedUp, theirs] = requests.filter(({ path }) => path.endsWith("/v2/observations"));
    expect(way(theirs!)).toEqual(way(lookedUp!));
    expect(data).toMatchObject([{ traceId: "trace-1" }]);
    expect(ours.body).toMatchObject({ traceId: "trace-1", observationId: "obs-1" });
  });

  const ofLangsmith = "langsmith, of the rating $rating; its client makes an id unless it is given one";
  it.each([sessionScore(), thumbScore("down")])(ofLangsmith, async (rated) => {
    const contract = langsmithContract();
    const { url, ours, requests } = await onStage(contract, [rated]);
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

    const theirs = requests.filter(contract.isDelivery).at(-1)!;
    expect(theirs.body).toEqual({ ...ours.body, id: feedbackId });
    expect(way(theirs, "x-api-key")).toEqual(way(ours, "x-api-key"));
    await client.deleteFeedback(feedbackId);
    expect(requests.at(-1)).toMatchObject({ method: "DELETE", path: `/feedback/${feedbackId}` });
  });

  it("phoenix, for a session, a span and a trace", async () => {
    const contract = phoenixContract();
    const { session, span, trace } = knownTargets;
    const scores = [
      sessionScore({ id: "of-a-session", sessionId: session }),
      sessionScore({ id: "of-a-span", observationId: span }),
      thumbScore("down", { id: "of-a-trace", observationId: trace }),
    ];
    const { url, sent, requests } = await onStage(contract, scores);
    const headers = { authorization: "Bearer phoenix-hush" };
    const client = createPhoenixClient({
      options: { baseUrl: url, headers },
      getEnvironmentOptions: () => ({}),
    });
    const given = sent.map(({ body: { data } }) => {
      const { name, annotator_kind: annotatorKind, identifier, result, metadata } = data[0];
      return { name, annotatorKind, identifier, metadata, ...result };
    });
    const sessionAnnotation = { ...given[0], sessionId: session };
    await addSessionAnnotation({ client, sync: true, sessionAnnotation });
    await addSpanAnnotation({ client, sync: true, spanAnnotation: { ...given[1], spanId: span } });
    await addTraceAnnotation({ client, sync: true, traceAnnotation: { ...given[2], traceId: trace } });

    const theirs = requests.filter(contract.isDelivery).slice(sent.length);
    expect(theirs.map(({ body }) => body)).toEqual(sent.map(({ body }) => body));
    expect(theirs.map((request) => way(request))).toEqual(sent.map((request) => way(request)));
    expect(scores.map(({ id }) => contract.held(id))).toEqual([1, 1, 1]);
  });

  it("phoenix, deleting by identifier", async () => {
    const contract = phoenixContract();
    const { url, id, requests } = await onStage(contract);
    const sink = contract.makeSink(url, {});
    await sink.eraseScores!([{ id, surveyId: null, name: "afterword.srv_csat", at: null }], { signal });
    const headers = { authorization: "Bearer phoenix-hush" };
    const client = createPhoenixClient({
      options: { baseUrl: url, headers },
      getEnvironmentOptions: () => ({}),
    });
    await client.DELETE("/v1/projects/{project_identifier}/session_annotations", {
      params: { path: { project_identifier: "project-1" }, query: { identifier: id, delete_all: true } },
    });
    const deletions = requests.filter(({ method }) => method === "DELETE");
    expect(way(deletions.at(-1)!)).toEqual(way(deletions[0]!));
  });

  it.each([sessionScore(), thumbScore("up")])("braintrust, of the rating $rating", async (score) => {
    const contract = braintrustContract();
    const { url, id, ours, requests } = await onStage(contract, [score]);
    const client = new Braintrust({ baseURL: url, apiKey: "bt-hush", maxRetries: 0 });
    await expect(client.project.logs.feedback(projectId, ours.body)).resolves.toEqual({ status: "success" });

    const theirs = requests.filter(contract.isDelivery).at(-1)!;
    expect(theirs.body).toEqual(ours.body);
    expect(way(theirs)).toEqual(way(ours));
    expect(contract.held(id)).toBe(1);
  });

  it("datadog, whose client sends through an Agent, several at once, and adds its version to the tags", async () => {
    const contract = datadogContract();
    const scores = [
      sessionScore(),
      sessionScore({ observationId: "b7ad6b7169203331" }),
      sessionScore({ observationId: "0af7651916cd43dd8448eb211c80319c" }),
      sessionScore({ rating: null, label: null, normalised: null }),
      thumbScore("up"),
      thumbScore("down"),
    ];
    const { sent } = await onStage(contract, scores);
    const ours = sent.map(({ body }) => body.data.attributes.metrics[0]);
    await stage!.close();

    stage = await openStage(asAgent(contract.play));
    const program = fileURLToPath(new URL("datadog-client.mjs", import.meta.url));
    const given = JSON.stringify(ours.map(asFeedback));
    await promisify(execFile)(process.execPath, [program, stage.url, given]);
    const [theirs] = stage.requests.filter(({ path }) => path.endsWith(sent[0]!.path));
    const [{ data }, ...more] = [theirs!.body];
    expect(more).toEqual([]);
    const { metrics, ...attributes } = data.attributes;
    expect({ ...data, attributes }).toEqual({ type: "evaluation_metric", attributes: {} });
    const withoutVersion = (tag: string) => !tag.startsWith("ddtrace.version:");
    expect(
      metrics.map((metric: { tags: string[] }) => ({ ...metric, tags: metric.tags.filter(withoutVersion) })),
    ).toEqual(ours);
    expect(contract.held(scores[0]!.id)).toBe(2 * scores.length);
  });
});

/** What the official client is asked for, to send this metric. */
function asFeedback(metric: Record<string, unknown>) {
  const { label, metric_type: metricType, reasoning, assessment } = metric;
  const { submitter, timestamp_ms: timestampMs } = metric;
  const { session_id: sessionId, span_id: spanId, trace_id: traceId } = metric;
  const tags = Object.fromEntries(
    (metric["tags"] as string[])
      .map((tag) => /^([^:]+):(.*)$/.exec(tag)!.slice(1))
      .filter(([name]) => name !== "ml_app"),
  );
  const value = metric[`${String(metricType)}_value`];
  const target = { sessionId, spanId, traceId };
  return { label, metricType, value, reasoning, assessment, submitter, timestampMs, tags, ...target };
}

import { opik, type OpikTarget } from "@afterword/node/forwarder";
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { opikContract } from "../conformance/sink-contracts/opik.ts";
import { openStage, type SinkStage } from "../conformance/sink-stage.ts";
import { thumbScore } from "../conformance/sink-scores.ts";
import { aRating } from "./a-rating.ts";
import { realServer } from "./real-server.ts";

const path = realServer("client of Opik", "OPIK_CLIENT");

/** The part of Opik's own client that sends scores, with the fields as it names them. */
interface OpikApi {
  traces: {
    scoreBatchOfThreads(batch: object): Promise<void>;
    scoreBatchOfTraces(batch: object): Promise<void>;
  };
  spans: { scoreBatchOfSpans(batch: object): Promise<void> };
}

async function officialApi(apiUrl: string): Promise<OpikApi> {
  const { Opik } = (await import(pathToFileURL(path!).href)) as {
    Opik: new (options: object) => { api: OpikApi };
  };
  return new Opik({ apiUrl, apiKey: "opik-hush", workspaceName: "team", projectName: "shop" }).api;
}

const id = randomUUID();
const scores = [aRating({ id }), thumbScore("up", { id })];
const calls: [string, OpikTarget, (api: OpikApi, batch: object) => Promise<void>][] = [
  ["thread", { threadId: "session-1" }, ({ traces }, batch) => traces.scoreBatchOfThreads(batch)],
  ["trace", { traceId: randomUUID() }, ({ traces }, batch) => traces.scoreBatchOfTraces(batch)],
  ["span", { spanId: randomUUID() }, ({ spans }, batch) => spans.scoreBatchOfSpans(batch)],
];

describe.skipIf(path === undefined)("what Opik's own client sends", () => {
  let stage: SinkStage;
  afterEach(async () => await stage.close());

  it.each(calls)("for a %s passes the fake, and it is what the sink sends", async (_, target, send) => {
    stage = await openStage(opikContract().play);
    const options = { apiKey: "opik-hush", workspace: "team", projectName: "shop" };
    const sink = opik({ baseUrl: stage.url, ...options, resolveTarget: () => target });
    for (const score of scores) {
      const outcomes = await sink.deliver([score], new AbortController());
      expect(outcomes).toEqual([{ outcome: "delivered" }]);

      const ours = stage.requests.at(-1)!;
      const [{ thread_id: threadId, category_name: categoryName, ...rest }] = ours.body.scores;
      const theirScore = { ...rest, threadId, projectName: "shop", categoryName };
      await send(await officialApi(stage.url), { scores: [theirScore] });
      const theirs = stage.requests.at(-1)!;
      expect(theirs.body).toEqual(ours.body);
      expect([theirs.method, theirs.path]).toEqual([ours.method, ours.path]);
      for (const header of ["authorization", "comet-workspace"])
        expect(theirs.headers[header]).toBe(ours.headers[header]);
    }
  });
});

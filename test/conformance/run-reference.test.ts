import { runReference } from "@afterword/node";
import { fanOut } from "@afterword/node/forwarder";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { knownRun } from "./sink-contract.ts";
import { langfuseContract } from "./sink-contracts/langfuse.ts";
import { mlflowContract } from "./sink-contracts/mlflow.ts";
import { phoenixContract } from "./sink-contracts/phoenix.ts";
import { sessionScore } from "./sink-scores.ts";
import { openStage } from "./sink-stage.ts";

const { traceId } = knownRun;

describe("one rating of a run that several services have traced", () => {
  let services: {
    contract: ReturnType<typeof phoenixContract>;
    stage: Awaited<ReturnType<typeof openStage>>;
  }[];
  beforeEach(async () => {
    const contracts = [langfuseContract(), phoenixContract(), mlflowContract()];
    services = await Promise.all(
      contracts.map(async (contract) => ({ contract, stage: await openStage(contract.play) })),
    );
  });
  afterEach(async () => {
    await Promise.all(services.map(({ stage }) => stage.close()));
  });

  it.each([
    ["trace", runReference({ traceId }), "ofTrace"],
    ["span", runReference(knownRun), "ofSpan"],
  ] as const)(
    "is stored at the same %s in each, with one request to each",
    async (_, observationId, place) => {
      const sink = fanOut(services.map(({ contract, stage }) => contract.makeSink(stage.url, {})));
      const score = sessionScore({ observationId });
      expect(await sink.deliver([score], new AbortController())).toEqual([{ outcome: "delivered" }]);
      for (const { contract, stage } of services) {
        expect(stage.requests).toMatchObject([contract.reference![place]]);
        expect(contract.held(score.id)).toBe(1);
      }
    },
  );
});

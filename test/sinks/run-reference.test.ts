import { runReference } from "@afterword/node";
import { fanOut, langfuse, mlflow, phoenix } from "@afterword/node/forwarder";
import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { langfuseContract } from "../conformance/sink-contracts/langfuse.ts";
import { openStage, type SinkStage } from "../conformance/sink-stage.ts";
import { aRating } from "./a-rating.ts";
import { MlflowServer } from "./mlflow-server.ts";
import { PhoenixServer } from "./phoenix-server.ts";
import { realServer } from "./real-server.ts";

const phoenixUrl = realServer("Phoenix", "PHOENIX_BASE_URL");
const mlflowUrl = realServer("MLflow", "MLFLOW_BASE_URL");

describe.skipIf(!phoenixUrl || !mlflowUrl)(
  "one rating of a run that a real Phoenix and a real MLflow have",
  () => {
    let langfuseServer: SinkStage;
    let agentRun: { sessionId: string; traceId: string; spanId: string };

    beforeEach(async () => {
      langfuseServer = await openStage(langfuseContract().play);
      const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
      agentRun = { sessionId: `session-${randomUUID()}`, traceId, spanId };
      await new PhoenixServer(phoenixUrl!).record(agentRun);
      await new MlflowServer(mlflowUrl!).record(agentRun.sessionId, new Date(), traceId);
    });
    afterEach(async () => await langfuseServer.close());

    const deliver = async (observationId: string) => {
      const { sessionId } = agentRun;
      const score = aRating({ id: randomUUID(), sessionId, observationId });
      const keys = { publicKey: "pk-lf-1", secretKey: "sk-lf-hush" };
      const sink = fanOut([
        langfuse({ baseUrl: langfuseServer.url, ...keys }),
        phoenix({ baseUrl: phoenixUrl }),
        mlflow({ baseUrl: mlflowUrl }),
      ]);
      expect(await sink.deliver([score], new AbortController())).toEqual([{ outcome: "delivered" }]);
      return score;
    };

    it("is at its trace in both and in Langfuse, with what it is about and when it was given", async () => {
      const { traceId } = agentRun;
      const { id, at } = await deliver(runReference({ traceId }));
      expect(await new PhoenixServer(phoenixUrl!).annotations("trace", traceId)).toMatchObject([
        {
          identifier: id,
          annotator_kind: "HUMAN",
          metadata: { surveyId: "srv_csat", surveyType: "csat", normalised: 0.75, taskType: "search", at },
        },
      ]);
      const [assessment, ...more] = await new MlflowServer(mlflowUrl!).assessments(`tr-${traceId}`);
      expect(more).toEqual([]);
      expect(assessment).toMatchObject({
        assessment_id: id,
        source: { source_type: "HUMAN" },
        metadata: {
          "afterword.survey_id": "srv_csat",
          "afterword.survey_type": "csat",
          "afterword.normalised": "0.75",
          "afterword.task_type": "search",
          "afterword.at": at,
        },
      });
      expect(Date.parse(assessment!.create_time)).toBe(Date.parse(at));
      expect(langfuseServer.requests).toMatchObject([{ method: "POST", body: { id, traceId } }]);
    });

    it("is at its span in Phoenix and Langfuse, and at the span's trace in MLflow", async () => {
      const { traceId, spanId } = agentRun;
      const { id } = await deliver(runReference({ traceId, spanId }));
      const server = new PhoenixServer(phoenixUrl!);
      expect(await server.annotations("span", spanId)).toMatchObject([{ identifier: id }]);
      expect(await server.annotations("trace", traceId)).toEqual([]);
      const assessments = await new MlflowServer(mlflowUrl!).assessments(`tr-${traceId}`);
      expect(assessments).toMatchObject([{ assessment_id: id }]);
      const place = { traceId, observationId: spanId };
      expect(langfuseServer.requests).toMatchObject([{ method: "POST", body: { id, ...place } }]);
    });
  },
);

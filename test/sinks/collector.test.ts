import { otlp } from "@afterword/node/forwarder";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aRating } from "./a-rating.ts";
import { realServer } from "./real-server.ts";

const baseUrl = realServer("OpenTelemetry collector", "COLLECTOR_BASE_URL");
const { signal } = new AbortController();

interface LogRecord {
  traceId: string;
  spanId: string;
  timeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; doubleValue?: number } }[];
}

describe.skipIf(baseUrl === undefined)("a rating through a real OpenTelemetry collector", () => {
  let backend: Server;
  let status: number;
  let exported: LogRecord[];

  beforeEach(async () => {
    [status, exported] = [200, []];
    backend = createServer(async (request, reply) => {
      const { resourceLogs } = JSON.parse(await text(request));
      if (status === 200) exported.push(resourceLogs[0].scopeLogs[0].logRecords[0]);
      reply.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
    backend.listen(Number(process.env["COLLECTOR_EXPORT_PORT"]), "127.0.0.1");
    await once(backend, "listening");
  });
  afterEach(async () => {
    backend.closeAllConnections();
    backend.close();
    await once(backend, "close");
  });

  it("comes out as the evaluation of the span that it belongs to, with value, label and words", async () => {
    const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
    const rating = aRating({ id: randomUUID(), observationId: `${traceId}-${spanId}`, text: "très bien 🙂" });
    expect(await otlp({ baseUrl }).deliver([rating], { signal })).toEqual([{ outcome: "delivered" }]);
    const [record] = exported;
    expect(record).toMatchObject({ traceId, spanId, timeUnixNano: `${Date.parse(rating.at)}000000` });
    const attributes = record?.attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.doubleValue,
    ]);
    expect(Object.fromEntries(attributes ?? [])).toMatchObject({
      "event.name": "gen_ai.evaluation.result",
      "gen_ai.evaluation.name": "afterword.srv_csat",
      "gen_ai.evaluation.score.value": 4,
      "gen_ai.evaluation.score.label": "satisfied",
      "gen_ai.evaluation.explanation": "très bien 🙂",
      "gen_ai.conversation.id": "session-1",
      "afterword.response.id": rating.id,
    });
  });

  it("is retried while the collector cannot pass it on", async () => {
    status = 503;
    const rating = aRating({ id: randomUUID() });
    expect(await otlp({ baseUrl }).deliver([rating], { signal })).toMatchObject([{ outcome: "retry" }]);
    status = 200;
    expect(await otlp({ baseUrl }).deliver([rating], { signal })).toEqual([{ outcome: "delivered" }]);
    expect(exported).toHaveLength(1);
  });

  it("stops at a path that is not the collector's", async () => {
    const sink = otlp({ baseUrl: `${baseUrl}/elsewhere` });
    expect(await sink.deliver([aRating({ id: randomUUID() })], { signal })).toMatchObject([
      { outcome: "fatal" },
    ]);
  });
});

import { expect } from "vitest";
import { otlp } from "@afterword/node/forwarder";
import { Holdings, knownRun, schemaCheck, type SinkContract } from "../sink-contract.ts";

const keyValue = {
  type: "object",
  additionalProperties: false,
  required: ["key", "value"],
  properties: {
    key: { type: "string", minLength: 1 },
    value: {
      type: "object",
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
      properties: { stringValue: { type: "string" }, doubleValue: { type: "number" } },
    },
  },
};

/** After ExportLogsServiceRequest of opentelemetry-proto in its JSON form: camel case, ids in hex, 64 bits as strings. */
const exportLogs = schemaCheck({
  type: "object",
  additionalProperties: false,
  required: ["resourceLogs"],
  properties: {
    resourceLogs: {
      type: "array",
      items: {
        type: "object",
        properties: {
          resource: { type: "object", properties: { attributes: { type: "array", items: keyValue } } },
          scopeLogs: {
            type: "array",
            items: {
              type: "object",
              properties: {
                scope: { type: "object", properties: { name: { type: "string" } } },
                logRecords: {
                  type: "array",
                  items: {
                    type: "object",
                    additionalProperties: false,
                    // Splunk's exporter drops records without a body, and Loki shows empty lines.
                    required: ["body"],
                    properties: {
                      body: {
                        type: "object",
                        additionalProperties: false,
                        required: ["stringValue"],
                        properties: {
                          stringValue: {
                            type: "string",
                            pattern:
                              "^survey .+, (rating \\d|thumbs (up|down)|text).*, (session|observation) .+$",
                          },
                        },
                      },
                      timeUnixNano: { type: "string", pattern: "^[0-9]{19}$" },
                      observedTimeUnixNano: { type: "string", pattern: "^[0-9]{19}$" },
                      severityNumber: { type: "integer", minimum: 1, maximum: 24 },
                      eventName: { const: "gen_ai.evaluation.result" },
                      traceId: { type: "string", pattern: "^[0-9a-f]{32}$" },
                      spanId: { type: "string", pattern: "^[0-9a-f]{16}$" },
                      attributes: { type: "array", items: keyValue },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
});

const ofRecord = (record: object) => ({
  body: { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] },
});

const ofThumb = (thumbs: string, value: number) =>
  ofRecord({
    body: { stringValue: expect.stringContaining(`, thumbs ${thumbs}, `) },
    attributes: expect.arrayContaining([
      { key: "gen_ai.evaluation.score.label", value: { stringValue: thumbs } },
      { key: "gen_ai.evaluation.score.value", value: { doubleValue: value } },
    ]),
  }).body;

export function otlpContract(): SinkContract {
  const holdings = new Holdings();
  return {
    makeSink: (baseUrl, options) => otlp({ baseUrl, headers: { "x-team-key": "otlp-hush" }, ...options }),
    isDelivery: ({ path }) => path === "/v1/logs",
    isIdempotent: false,
    // An empty reply is an empty message in Protobuf, which some receivers answer to JSON as well.
    documents: ({ body = "" }) => body === "" || JSON.stringify(body) === "{}",
    erases: false,
    examines: true,
    secret: "otlp-hush",
    reference: { ofTrace: ofRecord({ traceId: knownRun.traceId }), ofSpan: ofRecord(knownRun) },
    thumbs: { up: ofThumb("up", 1), down: ofThumb("down", 0) },
    held: (id) => holdings.count(id),
    play({ headers, body }) {
      if (headers["x-team-key"] !== "otlp-hush") return { status: 401, body: {} };
      const problem = exportLogs(body);
      if (problem !== undefined) return { status: 400, body: { code: 3, message: problem } };
      if (body.resourceLogs.length === 0) return { status: 200, body: { partialSuccess: {} } };
      const attributes = body.resourceLogs[0].scopeLogs[0].logRecords[0].attributes as {
        key: string;
        value: { stringValue: string };
      }[];
      holdings.add(attributes.find(({ key }) => key === "afterword.response.id")!.value.stringValue);
      return { status: 200, body: { partialSuccess: {} } };
    },
  };
}

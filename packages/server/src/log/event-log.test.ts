import { describe, expect, it } from "vitest";
import { type ServerEvent } from "../audit/audit-trail.ts";
import { createEventLog, type LogLevel, type RequestLogging } from "./event-log.ts";

const noon = Date.parse("2026-03-01T12:00:00.000Z");

function logged(events: ServerEvent[], level: LogLevel = "info", requests: RequestLogging = "all") {
  const lines: string[] = [];
  const clock = { now: () => noon };
  const log = createEventLog({ write: (line) => void lines.push(line) }, level, clock, requests);
  for (const event of events) log.emit(event);
  return lines;
}

const request = {
  kind: "request",
  requestId: "r-1",
  method: "POST",
  route: "/v1/sdk/responses",
  status: 201,
  durationInMs: 1.23456,
} as const;

describe("the log", () => {
  it("has one line of JSON per event", () => {
    const lines = logged([request, { kind: "warning", message: "first\nsecond" }]);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: "info",
      time: "2026-03-01T12:00:00.000Z",
      event: "request",
      requestId: "r-1",
      method: "POST",
      route: "/v1/sdk/responses",
      status: 201,
      durationInMs: 1.23,
    });
  });

  it.each<[string, ServerEvent]>([
    ["info", request],
    ["info", { ...request, status: 409, code: "token_used" }],
    ["error", { ...request, status: 503, code: "unavailable" }],
    ["warn", { kind: "warning", message: "look" }],
    ["error", { kind: "failure", requestId: "r-1", error: new Error("broken") }],
    ["error", { kind: "background-failure", task: "retention", error: new Error("broken") }],
    ["info", { kind: "task", task: "retention", counts: { textsRemoved: 3 } }],
  ])("has the level %s for %o", (level, event) => {
    expect(JSON.parse(logged([event])[0]!)).toMatchObject({ level });
  });

  it("leaves out events below its level", () => {
    expect(logged([request], "warn")).toEqual([]);
    expect(logged([{ kind: "failure", requestId: "r", error: new Error("broken") }], "silent")).toEqual([]);
  });

  it.each<[RequestLogging, number[]]>([
    ["all", [200, 201, 204, 400, 401, 404, 409, 429, 500, 503]],
    ["refused", [400, 401, 404, 409, 429, 500, 503]],
    ["none", [500, 503]],
  ])("with --log-requests %s logs the statuses %j", (which, expected) => {
    const statuses = [200, 201, 204, 400, 401, 404, 409, 429, 500, 503];
    const lines = logged(
      statuses.map((status) => ({ ...request, status })),
      "info",
      which,
    );
    expect(lines.map((line) => (JSON.parse(line) as { status: number }).status)).toEqual(expected);
  });

  it("logs a refusal with route, status, code, project, key and request id", () => {
    const refused = {
      ...request,
      status: 401,
      code: "token_expired",
      projectId: "shop",
      keyId: "k-1",
    } as const;
    const { route, status, code, projectId, keyId, requestId } = refused;
    expect(JSON.parse(logged([refused], "info", "refused")[0]!)).toMatchObject({
      route,
      status,
      code,
      projectId,
      keyId,
      requestId,
    });
  });

  it("limits refusals to 100 lines at once and 10 a second, and counts the rest", () => {
    let now = noon;
    const lines: string[] = [];
    const log = createEventLog({ write: (line) => void lines.push(line) }, "info", { now: () => now });
    const flood = () => {
      lines.length = 0;
      for (let count = 0; count < 5000; count++) log.emit({ ...request, status: 429, code: "rate_limited" });
      return lines.map((line) => JSON.parse(line) as { event: string; count?: number });
    };
    expect(flood()).toHaveLength(100);
    now += 1000;
    const second = flood();
    expect(second[0]).toMatchObject({ event: "requests-left-out", count: 4900 });
    expect(second.slice(1).map(({ event }) => event)).toEqual(Array.from({ length: 10 }, () => "request"));
  });

  it("logs a server error in the middle of a flood", () => {
    const refusals = Array.from({ length: 500 }, () => ({ ...request, status: 429 }));
    const lines = logged([...refusals, { ...request, status: 503, code: "unavailable" }]);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ level: "error", status: 503 });
  });

  it("cannot be forged by the method of a request", () => {
    const [line] = logged([{ ...request, method: 'GET\n{"level":"error"}' }]);
    expect(JSON.parse(line!)).toMatchObject({ method: "GET???level???er?".slice(0, 16) });
  });

  it("redacts fields by name, should an event ever contain them", () => {
    const event = { ...request, text: "canary", showToken: "canary", userId: "canary" } as ServerEvent;
    expect(logged([event])[0]).not.toContain("canary");
  });
});

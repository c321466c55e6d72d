import { describe, expect, it } from "vitest";
import { type ServerEvent } from "../events.ts";
import { createEventLog, type LogLevel } from "./event-log.ts";

const clock = { now: () => Date.parse("2026-03-01T12:00:00.000Z") };

function logged(events: ServerEvent[], level: LogLevel = "debug") {
  const lines: string[] = [];
  const log = createEventLog({ write: (line) => void lines.push(line) }, level, clock);
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
      level: "debug",
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
    ["debug", request],
    ["debug", { ...request, status: 409, code: "token_used" }],
    ["error", { ...request, status: 503, code: "unavailable" }],
    ["warn", { kind: "warning", message: "look" }],
    ["error", { kind: "failure", requestId: "r-1", error: new Error("broken") }],
    ["error", { kind: "background-failure", task: "retention", error: new Error("broken") }],
    ["info", { kind: "task", task: "retention", counts: { textsRemoved: 3 } }],
  ])("has the level %s for %o", (level, event) => {
    expect(JSON.parse(logged([event])[0]!)).toMatchObject({ level });
  });

  it("leaves out what is below its level", () => {
    expect(logged([request], "info")).toEqual([]);
    expect(logged([{ kind: "failure", requestId: "r", error: new Error("broken") }], "silent")).toEqual([]);
  });

  it("cannot be forged by the method of a request", () => {
    const [line] = logged([{ ...request, method: 'GET\n{"level":"error"}' }]);
    expect(JSON.parse(line!)).toMatchObject({ method: "GET???level???er?".slice(0, 16) });
  });

  it("redacts fields by their names, should an event ever hold them", () => {
    const event = { ...request, text: "canary", showToken: "canary", userId: "canary" } as ServerEvent;
    expect(logged([event])[0]).not.toContain("canary");
  });
});

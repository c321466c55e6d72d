import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dieOf, onStopSignals } from "./stop-signals.ts";

const signals = ["SIGINT", "SIGTERM"] as const;
const log: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  log.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const signal of signals) process.removeAllListeners(signal);
});

const start = () =>
  onStopSignals(
    signals,
    (signal) => log.push(`stop ${signal}`),
    (signal) => log.push(`again ${signal}`),
  );

describe("a stop signal", () => {
  it("stops the program once, although npx passes the same press of Ctrl-C on", () => {
    start();
    process.emit("SIGINT");
    vi.advanceTimersByTime(500);
    process.emit("SIGINT");
    expect(log).toEqual(["stop SIGINT"]);
  });

  it("that is sent a second time on purpose is told apart from the first", () => {
    start();
    process.emit("SIGINT");
    vi.advanceTimersByTime(501);
    process.emit("SIGINT");
    expect(log).toEqual(["stop SIGINT", "again SIGINT"]);
  });

  it("of another kind stops too", () => {
    start();
    process.emit("SIGINT");
    process.emit("SIGTERM");
    expect(log).toEqual(["stop SIGINT", "stop SIGTERM"]);
  });

  it("ends the process by default when it is sent a second time", () => {
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    onStopSignals(["SIGTERM"], () => undefined);
    process.emit("SIGTERM");
    vi.advanceTimersByTime(501);
    process.emit("SIGTERM");
    expect(kill.mock.calls).toEqual([[process.pid, "SIGTERM"]]);
  });

  it("that the program dies of is handled no more", () => {
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    start();
    dieOf("SIGINT");
    expect([process.listenerCount("SIGINT"), kill.mock.calls]).toEqual([0, [[process.pid, "SIGINT"]]]);
  });
});

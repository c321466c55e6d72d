import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { expect, it, onTestFinished, vi } from "vitest";
import { startServer } from "../index.ts";

interface Histogram {
  enable(): boolean;
  disable(): boolean;
}

it("a closed server leaves no observer of garbage collections and no clock of the event loop behind", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const histogram = Object.getPrototypeOf(monitorEventLoopDelay()) as Histogram;
  const started = [vi.spyOn(PerformanceObserver.prototype, "observe"), vi.spyOn(histogram, "enable")];
  const ended = [vi.spyOn(PerformanceObserver.prototype, "disconnect"), vi.spyOn(histogram, "disable")];
  const server = await startServer({ admin: { port: 0 } });
  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(metrics).toContain("# TYPE nodejs_gc_duration_seconds histogram");
  await server.close();
  for (const [index, start] of started.entries()) {
    expect(start.mock.contexts.length).toBeGreaterThan(0);
    expect(ended[index]!.mock.contexts).toEqual(start.mock.contexts);
  }
});

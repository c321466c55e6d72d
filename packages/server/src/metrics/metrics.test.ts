import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, it, onTestFinished, vi } from "vitest";
import { startServer } from "../program/start-server.ts";

interface Histogram {
  enable(): boolean;
  disable(): boolean;
}

it("a server measures its event loop, memory and processor time, and a closed one leaves no clock behind", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const histogram = Object.getPrototypeOf(monitorEventLoopDelay()) as Histogram;
  const [enabled, disabled] = [vi.spyOn(histogram, "enable"), vi.spyOn(histogram, "disable")];
  const server = await startServer({ admin: { port: 0 } });
  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(metrics).toMatch(/^process_resident_memory_bytes [1-9]/m);
  expect(metrics).toMatch(/^process_cpu_seconds_total 0?\.?[0-9]/m);
  await server.close();
  expect(enabled.mock.contexts).toHaveLength(1);
  expect(disabled.mock.contexts).toEqual(enabled.mock.contexts);
});

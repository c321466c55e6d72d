import { expect, it } from "vitest";
import { startServer } from "../program/start-server.ts";

it("every server of a process shows its event loop, memory and processor time", async () => {
  for (let started = 0; started < 2; started++) {
    await using server = await startServer({ admin: { port: 0 } });
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(metrics).toMatch(/^process_resident_memory_bytes [1-9]/m);
    expect(metrics).toMatch(/^process_cpu_seconds_total 0?\.?[0-9]/m);
  }
});

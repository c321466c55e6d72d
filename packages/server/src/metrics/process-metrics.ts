import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

const resolutionInMs = 10;

/**
 * Measures what the alerts and the dashboard show of the process, under the names that prom-client's own collection uses.
 * That one cannot be ended, and measures much more.
 * @returns a function that ends it
 */
export function collectProcessMetrics(register: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionInMs });
  delays.enable();
  const delay = new Gauge({
    name: "nodejs_eventloop_lag_p99_seconds",
    help: "99th percentile of the event loop's delay since the last scrape",
    registers: [],
    collect() {
      // There is none before the first tick.
      this.set(delays.count === 0 ? 0 : delays.percentile(99) / 1e9);
      delays.reset();
    },
  });
  const memory = new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory",
    registers: [],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  const processor = new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time of the process, user and system",
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  for (const metric of [delay, memory, processor]) register.registerMetric(metric);
  return () => void delays.disable();
}

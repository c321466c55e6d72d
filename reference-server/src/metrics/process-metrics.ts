import perfHooks from "node:perf_hooks";
import { collectDefaultMetrics, type Registry } from "prom-client";

/**
 * Measures memory, garbage collection and the delay of the event loop. prom-client cannot end its observers, which Node
 * keeps as long as the process lives, so they are caught while it creates them.
 * @returns a function that ends them
 */
export function collectProcessMetrics(register: Registry): () => void {
  const ends: (() => void)[] = [];
  const { PerformanceObserver, monitorEventLoopDelay } = perfHooks;
  perfHooks.PerformanceObserver = class extends PerformanceObserver {
    constructor(callback: ConstructorParameters<typeof PerformanceObserver>[0]) {
      super(callback);
      ends.push(() => this.disconnect());
    }
  };
  perfHooks.monitorEventLoopDelay = (options) => {
    const histogram = monitorEventLoopDelay(options);
    ends.push(() => histogram.disable());
    return histogram;
  };
  try {
    collectDefaultMetrics({ register });
  } finally {
    Object.assign(perfHooks, { PerformanceObserver, monitorEventLoopDelay });
  }
  return () => {
    for (const end of ends) end();
  };
}

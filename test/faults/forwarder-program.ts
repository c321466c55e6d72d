import { Afterword } from "../../packages/node/src/index.ts";
import {
  createForwarder,
  defineSink,
  type Outcome,
  type ScoreQueue,
} from "../../packages/node/src/forwarder.ts";

// A forwarder as a process of its own, which kills itself without a word where it is told to.

/** Where a forwarder can die: around the poll, the push and the acknowledgement. */
export type CrashPoint = "after poll" | "before sink" | "after sink" | "before ack" | "after ack";

export interface ForwarderOrder {
  baseUrl: string;
  secretKey: string;
  /** Takes scores by id: a second push of one id replaces the first. */
  sinkUrl: string;
  /** Drains the queue without leases, or works with them until SIGTERM. */
  mode: "once" | "work";
  /** Default: it lives on. */
  crash?: { point: CrashPoint; occurrence: number };
}

const order = JSON.parse(process.argv[2]!) as ForwarderOrder;
let reached = 0;

function pass(point: CrashPoint): void {
  if (order.crash?.point !== point) return;
  reached += 1;
  if (reached === order.crash.occurrence) process.kill(process.pid, "SIGKILL");
}

const client = new Afterword({ secretKey: order.secretKey, baseUrl: order.baseUrl });

const queue: ScoreQueue = {
  pendingScores(options) {
    const lease = order.mode === "once" ? { leaseInSeconds: undefined, consumer: undefined } : {};
    const rows = client.pendingScores({ ...options, ...lease, limit: 20 });
    return {
      ...rows,
      async *pages() {
        for await (const page of rows.pages()) {
          pass("after poll");
          yield page;
        }
      },
    };
  },
  async ack(results, options) {
    pass("before ack");
    const summary = await client.ack(results, options);
    pass("after ack");
    return summary;
  },
};

const sink = defineSink({
  name: "by-id",
  async deliver([score], { signal }): Promise<Outcome[]> {
    pass("before sink");
    const { id, sessionId, rating } = score!;
    const body = JSON.stringify({ sessionId, rating });
    const { status } = await fetch(`${order.sinkUrl}/${id}`, { method: "PUT", body, signal });
    pass("after sink");
    return [status === 204 ? { outcome: "delivered" } : { outcome: "retry", reason: `status ${status}` }];
  },
});

await using forwarder = createForwarder({ client: queue, sink, concurrency: 4, ackIntervalInMs: 5 });
process.once("SIGTERM", () => void forwarder.stop());
process.send?.("ready");
await (order.mode === "once" ? forwarder.runOnce() : forwarder.start());

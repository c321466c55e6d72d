import { AckBuffer } from "./ack-buffer.ts";
import { Backlog } from "./backlog.ts";
import type { Clock } from "../options/clock.ts";
import type { DeliveryLoopOptions } from "./delivery-loop-options.ts";
import { HealthRecord } from "./health.ts";
import { Pacer } from "./pacer.ts";
import { RefusalStreak } from "./refusal-streak.ts";
import { RowMemory } from "./row-memory.ts";
import { ServiceContact } from "./service-contact.ts";
import { SinkCalls } from "./sink-calls.ts";

/** What outlives a walk over the queue: which rows are under way or wait, the pace, and the health. */
export interface DeliveryState {
  memory: RowMemory;
  backlog: Backlog;
  pacer: Pacer;
  calls: SinkCalls;
  acks: AckBuffer;
  service: ServiceContact;
  refusals: RefusalStreak;
  health: HealthRecord;
}

interface DeliveryStateOptions extends DeliveryLoopOptions {
  /** The time of day; `clock` is the monotonic one. */
  wallClock: Clock;
  /** Ends acknowledgements that are under way. */
  ackSignal: AbortSignal;
  onAckFailure: (error: unknown) => void;
}

/** Makes the state of a forwarder that has not run yet. */
export function deliveryState(options: DeliveryStateOptions): DeliveryState {
  const { queue, sink, clock, wallClock, random, ackSignal: signal } = options;
  const memory = new RowMemory();
  const backlog = new Backlog(memory);
  const pacer = new Pacer(options);
  const calls = new SinkCalls({ sink, clock, timeoutInMs: options.sinkTimeoutInMs });
  const service = new ServiceContact();
  const acks = new AckBuffer({
    clock,
    random,
    intervalInMs: options.ackIntervalInMs,
    send: async (results) => {
      await queue.ack(results, { signal });
      service.succeeded("acknowledging");
    },
    onSettled: (results) => {
      for (const { id } of results) {
        memory.settle(id);
        backlog.settle(id);
      }
    },
    onFailure: options.onAckFailure,
  });
  const watched = { sink, backlog, memory, pacer, service, acks };
  const health = new HealthRecord({ ...watched, clock: wallClock, steadyClock: clock });
  return { memory, backlog, pacer, calls, acks, service, refusals: new RefusalStreak(), health };
}

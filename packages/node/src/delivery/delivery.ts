import { AckBuffer } from "./ack-buffer.ts";
import { Backlog } from "./backlog.ts";
import { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import { HealthRecord } from "./health.ts";
import { RefusalStreak } from "./refusal-streak.ts";
import { RowMemory } from "./row-memory.ts";
import { ServiceContact } from "./service-contact.ts";
import { SinkCalls } from "./sink-calls.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

/** What all parts of a forwarder work with: its settings, and the state that outlives a walk over the queue. */
export interface Delivery extends DeliverySettings {
  telemetry: Telemetry;
  /** Aborted by `stop()` when acknowledgements must end. */
  cutAcks: AbortController;
  memory: RowMemory;
  backlog: Backlog;
  limiter: ConcurrencyLimiter;
  calls: SinkCalls;
  acks: AckBuffer;
  service: ServiceContact;
  refusals: RefusalStreak;
  health: HealthRecord;
}

export function createDelivery(settings: DeliverySettings, onAckFailure: (error: unknown) => void): Delivery {
  const { queue, clock, random } = settings;
  const cutAcks = new AbortController();
  const memory = new RowMemory();
  memory.keepsSettled = settings.includeFailed;
  const backlog = new Backlog(memory);
  const limiter = new ConcurrencyLimiter(settings);
  const service = new ServiceContact();
  const acks = new AckBuffer({
    clock,
    random,
    intervalInMs: settings.ackIntervalInMs,
    send: async (results) => {
      await queue.ack(results, { signal: cutAcks.signal });
      service.succeeded("acknowledging");
    },
    onSettled: (results) => {
      for (const { id } of results) {
        memory.settle(id);
        backlog.settle(id);
      }
    },
    onFailure: onAckFailure,
  });
  const parts = { backlog, memory, limiter, service, acks };
  return {
    ...settings,
    ...parts,
    telemetry: noTelemetry,
    cutAcks,
    calls: new SinkCalls(settings),
    refusals: new RefusalStreak(),
    health: new HealthRecord({ ...settings, ...parts }),
  };
}

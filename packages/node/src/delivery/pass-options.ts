import type { PendingScore } from "@afterword/protocol";
import type { PendingScoresPage } from "../queue/pending-scores.ts";
import type { AckBuffer } from "./ack-buffer.ts";
import type { Backlog } from "./backlog.ts";
import type { Clock } from "../options/clock.ts";
import type { HealthRecord } from "./health.ts";
import type { Pacer } from "./pacer.ts";
import type { Partition } from "./partition.ts";
import type { RefusalStreak } from "./refusal-streak.ts";
import type { RowMemory } from "./row-memory.ts";
import type { SinkCalls } from "./sink-calls.ts";
import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import type { Telemetry } from "./telemetry.ts";

/** What a pass works with; the memory, the pace and the counts outlive it. */
export interface PassOptions {
  walk: () => AsyncIterable<PendingScoresPage>;
  sink: Sink;
  prepare: (row: PendingScore) => DeliverableScore | Promise<DeliverableScore>;
  concurrency: number;
  calls: SinkCalls;
  partition?: Partition;
  memory: RowMemory;
  backlog: Backlog;
  pacer: Pacer;
  refusals: RefusalStreak;
  acks: AckBuffer;
  health: HealthRecord;
  clock: Clock;
  random: () => number;
  /** Longest time that the pass waits for a row to be due, in milliseconds; later ones are left to a later pass. */
  mostIdleInMs: number;
  telemetry: Telemetry;
  onOutcome: (score: DeliverableScore, outcome: Outcome) => void;
  /** Called when the sink refuses everything. */
  onFatal: (reason: string) => void;
  /** Called when a page has arrived. */
  onPage: () => void;
  /** Called when the sink has failed as a whole. */
  onSinkFailure: () => void;
  /** Aborted when no more rows may be taken. */
  halt: AbortSignal;
  /** Aborted when what is under way must end. */
  cut: AbortSignal;
}

/** What a pass has come to. */
export interface PassResult {
  /** Rows that were delivered or refused. */
  settled: number;
  /** Rows that the walk has listed, and the milliseconds that listing them has taken. */
  listed: number;
  pollingInMs: number;
  /** Whether the walk has come to the end of the queue. */
  isComplete: boolean;
}

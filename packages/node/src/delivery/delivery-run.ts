import type { DeliveryCounts } from "../scores/sink.ts";
import { ForwarderStoppedError } from "../errors/afterword-error.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { Agenda } from "./agenda.ts";
import type { RunSummary } from "./forwarder-state.ts";
import type { QueueReader } from "./queue-reader.ts";
import type { ScoreBook } from "./score-book.ts";
import type { OpenCalls } from "./open-calls.ts";

/** A poll that is under way when a run ends may still lease scores, which could not be given back before its end. */
const pollTimeoutInMs = 2000;
/** Shares of the drain time after which calls of the sink are cut and the run ends, to leave time for the rest. */
const callsShareOfDrain = 0.75;
const runShareOfDrain = 0.9;

/** The parts of a forwarder. Each changes only its own state. */
export interface ForwarderParts {
  reader: QueueReader;
  book: ScoreBook;
  calls: OpenCalls;
  acks: Acknowledgements;
}

/** A run of a forwarder, from `start()`, `runOnce()` or `stop()` to its end. */
export class DeliveryRun {
  /** Whether it ends once the queue is drained; otherwise it polls until it is stopped. */
  readonly isSingle: boolean;
  /** The first error that the core met in it, with which it ends. */
  failure: unknown;
  readonly #parts: ForwarderParts;
  readonly #before: DeliveryCounts;
  #ending: "complete" | "halted" | "failed" | undefined;
  #endingSince = Infinity;
  /** Whether the service is to take the lease back, which needs some of the drain time. */
  #holdsLease = false;
  /** After a last attempt that failed, the rest stays unacknowledged. */
  #hasGivenUpAcks = false;

  constructor(isSingle: boolean, parts: ForwarderParts) {
    this.isSingle = isSingle;
    this.#parts = parts;
    this.#before = { ...parts.calls.counts };
  }

  get isWorking(): boolean {
    return this.#ending === undefined;
  }

  /** Takes no more scores. Calls under way keep their outcomes; all else stays pending. */
  end(ending: "complete" | "halted" | "failed", now: number): void {
    if (!this.isWorking) return;
    this.#ending = ending;
    this.#endingSince = now;
    const { acks, book, reader } = this.#parts;
    reader.stop();
    acks.hurry();
    book.releaseAll("listed");
  }

  /** After a failed acknowledgement, a run that is ending does not try again. */
  ackFailed(): void {
    if (!this.isWorking && this.#parts.calls.isIdle) this.#hasGivenUpAcks = true;
  }

  /** Waits for the calls under way and acknowledges their outcomes. Returns whether the run is over. */
  finish(agenda: Agenda, drain: { since: number; timeoutInMs: number }): boolean {
    const { acks, book, calls, reader } = this.#parts;
    const drained = (share: number) => agenda.isDue(drain.since + drain.timeoutInMs * share);
    if (reader.isOpen && agenda.isDue(this.#endingSince + pollTimeoutInMs)) reader.abandon();
    if (!calls.isIdle && drained(callsShareOfDrain)) {
      calls.cutAll();
      book.releaseAll("pushing");
    }
    if (drained(runShareOfDrain)) return true;
    if (!this.#hasGivenUpAcks) acks.sendDue(agenda, calls.isIdle);
    const isAcknowledged = this.#hasGivenUpAcks || acks.unsent === 0;
    if (reader.isOpen || !calls.isIdle || acks.isOpen || !isAcknowledged) return false;
    this.#holdsLease = !reader.foundNone;
    return true;
  }

  /** What the run has done, and the error with which it ends. */
  result(): { summary: RunSummary; failure: unknown; holdsLease: boolean } {
    const { book, calls, reader } = this.#parts;
    const { leased } = reader;
    const before = this.#before;
    const summary = {
      delivered: calls.counts.delivered - before.delivered,
      failed: calls.counts.failed - before.failed,
      retried: calls.counts.retried - before.retried,
      deferred: book.count("deferred"),
      unacknowledged: book.count("decided"),
      ...(leased.count > 0 && { leased }),
      isComplete: this.#ending === "complete" && reader.isComplete && leased.count === 0,
    };
    return { summary, failure: this.failure ?? this.#refusal(summary), holdsLease: this.#holdsLease };
  }

  /** A single run has no time to wait for more evidence: if every score was refused, it says so. */
  #refusal({ delivered, failed }: DeliveryCounts): unknown {
    const { lastRefusal } = this.#parts.calls;
    if (!this.isSingle || this.#ending === "halted" || lastRefusal === undefined) return undefined;
    return delivered + failed > 0 ? undefined : stoppedBy(lastRefusal);
  }
}

export const stoppedBy = (reason: string) =>
  new ForwarderStoppedError(`The forwarder has stopped: ${reason}`);

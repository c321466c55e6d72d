import { isRefusedKey } from "../errors/api-error.ts";
import { RefusalStreak } from "./refusal-streak.ts";
import { reasonOf } from "./waiting.ts";

export type ServiceCall = "polling" | "acknowledging";

/** Why calls fail, and since when (monotonic clock). */
interface Trouble {
  reason: string;
  since: number;
}

/** Tracks which calls of the service are failing, and whether it refuses the key. */
export class ServiceContact {
  readonly #troubles = new Map<ServiceCall, Trouble>();
  readonly #refusals = { polling: new RefusalStreak(), acknowledging: new RefusalStreak() };
  readonly failures: Record<ServiceCall, number> = { polling: 0, acknowledging: 0 };
  /** When the queue is polled next (monotonic clock). */
  nextPollAt = 0;

  trouble(call: ServiceCall): Trouble | undefined {
    return this.#troubles.get(call);
  }

  succeeded(call: ServiceCall): void {
    this.#troubles.delete(call);
    this.#refusals[call].accepted();
  }

  /** Records a failure. Returns whether the key is refused, which a single reply does not prove (decision O62). */
  failed(call: ServiceCall, error: unknown, now: number): boolean {
    const reason = reasonOf(error);
    this.failures[call] += 1;
    const before = this.#troubles.get(call);
    this.#troubles.set(call, before?.reason === reason ? before : { reason, since: now });
    return isRefusedKey(error) && this.#refusals[call].refused(reason, now);
  }
}

import { isRefusedKey } from "../errors/api-error.ts";
import { RefusalStreak } from "./refusal-streak.ts";
import { reasonOf } from "./waiting.ts";

/** What the forwarder asks of the service. */
export type ServiceCall = "polling" | "acknowledging";

/** Why calls fail, and since when by the monotonic clock. */
interface Trouble {
  reason: string;
  since: number;
}

/** Which calls of the service fail at present, and whether it refuses the key. */
export class ServiceContact {
  readonly #troubles = new Map<ServiceCall, Trouble>();
  readonly #refusals = { polling: new RefusalStreak(), acknowledging: new RefusalStreak() };
  /** When the queue is read again, by the monotonic clock. */
  nextPollAt = 0;

  trouble(call: ServiceCall): Trouble | undefined {
    return this.#troubles.get(call);
  }

  succeeded(call: ServiceCall): void {
    this.#troubles.delete(call);
    this.#refusals[call].accepted();
  }

  /** Notes a failure. Whether the key is refused, which one answer does not prove (decision O62). */
  failed(call: ServiceCall, error: unknown, now: number): boolean {
    const reason = reasonOf(error);
    const before = this.#troubles.get(call);
    this.#troubles.set(call, before?.reason === reason ? before : { reason, since: now });
    return isRefusedKey(error) && this.#refusals[call].refused(reason, now);
  }
}

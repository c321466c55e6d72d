import { type Clock, newRecordId, timestamp } from "@afterword/reference-server/internal";
import { type AuditChain } from "./audit-chain.ts";
import { type AuditEvent, type AuditTrail, type ServerEvents } from "./audit-trail.ts";

/**
 * Reports when a trail begins to refuse lines and when it takes them again: in the log, and as `problem` for metrics and
 * readiness, which stays 200 because ratings need no line.
 */
export class WatchedTrail implements AuditTrail {
  readonly #given: { trail: AuditTrail; events: ServerEvents; clock: Clock; host: string };
  #failing: { reason: string; since: number } | undefined;

  constructor(trail: AuditTrail, events: ServerEvents, clock: Clock, host: string) {
    this.#given = { trail, events, clock, host };
  }

  get chain(): AuditChain | undefined {
    return this.#given.trail.chain;
  }

  get problem(): string | undefined {
    return this.#failing?.reason;
  }

  async append(event: AuditEvent): Promise<void> {
    await this.#attempt(() => this.#given.trail.append(event));
  }

  /** Notices a file that cannot be opened before an act needs it, and one that can be written again, by a line of its own. */
  async check(): Promise<void> {
    const look = () =>
      this.#failing
        ? this.#given.trail.append(this.#resumed(this.#failing.since))
        : this.#given.trail.probe?.();
    // The failure has been reported.
    await this.#attempt(async () => look()).catch(() => undefined);
  }

  /** Auditors read from it where lines may be missing. */
  #resumed(since: number): AuditEvent {
    const actor = { command: "serve", operator: "audit check", host: this.#given.host };
    const act = newRecordId(this.#given.clock.now());
    const failingSince = timestamp(since);
    return { kind: "audit", ...actor, act, action: "audit-resumed", failingSince, outcome: "done" };
  }

  async #attempt(write: () => Promise<void>): Promise<void> {
    const now = this.#given.clock.now();
    try {
      await write();
    } catch (error) {
      const reason = (error as Error).message;
      if (!this.#failing) {
        const message = `${reason} Exports, erasures and everything else that is audited are refused meanwhile.`;
        this.#given.events.emit({ kind: "warning", message });
      }
      this.#failing ??= { reason, since: now };
      throw error;
    }
    if (!this.#failing) return;
    const failedForSeconds = Math.round((now - this.#failing.since) / 1000);
    this.#failing = undefined;
    this.#given.events.emit({
      kind: "task",
      task: "audit lines are written again",
      counts: { failedForSeconds },
    });
  }
}

import { type Clock, newRecordId, timestamp } from "@afterword/reference-server/internal";
import { type AuditEvent, type AuditTrail, type ServerEvents } from "./audit-trail.ts";

export interface WatchedTrail extends AuditTrail {
  /** Notices a file that cannot be opened before an act needs it, and one that can be written again, by a line of its own. */
  check(): Promise<void>;
}

/**
 * Reports when a trail begins to refuse lines and when it takes them again: in the log, and as `problem` for metrics and
 * readiness, which stays 200 because ratings need no line.
 */
export function watchedTrail(
  trail: AuditTrail,
  events: ServerEvents,
  clock: Clock,
  host: string,
): WatchedTrail {
  let failing: { reason: string; since: number } | undefined;

  async function attempt(write: () => Promise<void> | undefined): Promise<void> {
    const now = clock.now();
    try {
      await write();
    } catch (error) {
      const reason = (error as Error).message;
      const message = `${reason} Exports, erasures and everything else that is audited are refused meanwhile.`;
      if (!failing) events.emit({ kind: "warning", message });
      failing ??= { reason, since: now };
      throw error;
    }
    if (!failing) return;
    const failedForSeconds = Math.round((now - failing.since) / 1000);
    failing = undefined;
    events.emit({ kind: "task", task: "audit lines are written again", counts: { failedForSeconds } });
  }

  /** Auditors read from it where lines may be missing. */
  function resumed(since: number): AuditEvent {
    const actor = { command: "serve", operator: "audit check", host, act: newRecordId(clock.now()) };
    const intent = { action: "audit-resumed", failingSince: timestamp(since) } as const;
    return { kind: "audit", ...actor, ...intent, outcome: "done" };
  }

  return {
    chain: trail.chain,
    get problem() {
      return failing?.reason;
    },
    append: (event) => attempt(() => trail.append(event)),
    async check() {
      const look = () => (failing ? trail.append(resumed(failing.since)) : trail.probe?.());
      // The failure has been reported.
      await attempt(look).catch(() => undefined);
    },
  };
}

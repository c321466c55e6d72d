import { hostname } from "node:os";
import { hourInMs } from "@afterword/protocol/duration";
import { newRecordId } from "@afterword/reference-server/internal";
import { everything } from "../audit/audited-selection.ts";
import { Audit, type AuditTrail, type ServerEvents } from "../audit/audit-trail.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { forgetOldData, type Forgotten, type RetentionPolicy } from "../administration/retention.ts";

/** In UTC; a quiet hour in most places. */
const startHour = 3;

/**
 * Returns a task to run each hour. It deletes old data once a day after 03:00 UTC, or within an hour of a later start. Every
 * node does it; the second finds nothing left. Waits while the clock is not trusted. When the server stops, it ends after the
 * current transaction, and the next start continues.
 */
export function nightlyRetention(policy: RetentionPolicy, auditTrail: AuditTrail) {
  let lastNight = -1;
  const forget = (service: OperatedService, now: number, signal: AbortSignal | undefined) => {
    const act = newRecordId(service.clock.now());
    const actor = { act, command: "serve", operator: "nightly retention", host: hostname() };
    return new Audit(auditTrail, actor).change({ action: "retention", ...everything }, async (addResults) => {
      const onProgress = (forgotten: Forgotten) => addResults({ counts: { ...forgotten } });
      const counts = { ...(await forgetOldData(service, policy, { now, signal, onProgress })) };
      addResults({ counts });
      return counts;
    });
  };
  return async (service: OperatedService, events: ServerEvents, stopping?: AbortSignal): Promise<void> => {
    const now = await service.deletionClock.forCleanUp();
    if (now === undefined) return;
    const night = Math.floor((now - startHour * hourInMs) / (24 * hourInMs));
    if (night <= lastNight) return;
    const counts = await forget(service, now, stopping);
    // Only now, so that a failed night is retried an hour later.
    lastNight = night;
    events.emit({ kind: "task", task: "retention", counts });
  };
}

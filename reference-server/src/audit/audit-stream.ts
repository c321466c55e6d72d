import { type Clock } from "../domain/clock.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { type LogDestination } from "../log/log-writer.ts";
import { auditFields, type AuditTrail } from "./audit-trail.ts";
import { AuditUnavailable } from "./audit-unavailable.ts";

/** How long an act waits for the reader. Requests that write no audit line never wait. */
const withinMs = 2000;

/** Audit lines between those of the log, at every log level. */
export function openAuditStream(destination: LogDestination, clock: Clock): AuditTrail {
  return {
    async append(event) {
      const line = { level: "info", time: timestamp(clock.now()), ...auditFields(event) };
      destination.write(`${JSON.stringify(line)}\n`);
      if (await destination.flush(withinMs)) return;
      throw new AuditUnavailable(
        "Could not write the audit line to standard error: its reader stalls or its disk is full.",
      );
    },
  };
}

import { type Clock, timestamp } from "@afterword/reference-server/internal";
import { AuditChain } from "./audit-chain.ts";
import { auditFields, type AuditTrail, AuditUnavailable } from "./audit-trail.ts";
import { openJsonLines } from "./json-lines.ts";

/** Longest time that an act waits for the reader of standard error. Requests that write no audit line never wait. */
const withinMs = 2000;

/** A file of one JSON line per event, to which several processes may append. @throws UsageError when it cannot be written */
export function openAuditFile(path: string, clock: Clock): AuditTrail {
  const file = openJsonLines(path, "audit file");
  const chain = new AuditChain();
  const attempt = async (write: () => void | Promise<void>) => {
    try {
      await write();
    } catch (error) {
      const reason = (error as Error).message;
      throw new AuditUnavailable(`Could not write to the audit file ${path}: ${reason}.`, { cause: error });
    }
  };
  let last: Promise<void> = Promise.resolve();
  return {
    chain,
    probe: () => attempt(file.check),
    // One after the other, since each has the hash of the one before.
    append(event) {
      const written = last.then(() =>
        attempt(async () => {
          const line = chain.linked({ time: timestamp(clock.now()), ...auditFields(event) });
          await file.append(line);
          chain.advance(line);
        }),
      );
      last = written.catch(() => undefined);
      return written;
    },
  };
}

/** The log, as far as it takes audit lines. */
type LineWriter = { write(line: string): unknown; flush(withinInMs: number): Promise<boolean> };

/** Writes audit lines to a file or, without one, between those of the log, at every log level. @throws UsageError */
export function openAuditTrail(file: string | undefined, log: LineWriter, clock: Clock): AuditTrail {
  if (file !== undefined) return openAuditFile(file, clock);
  const chain = new AuditChain();
  return {
    chain,
    async append(event) {
      const line = chain.linked({ level: "info", time: timestamp(clock.now()), ...auditFields(event) });
      // The writer keeps it, even if its reader takes it too late for this act.
      chain.advance(line);
      log.write(`${JSON.stringify(line)}\n`);
      if (await log.flush(withinMs)) return;
      throw new AuditUnavailable(
        "Could not write the audit line to standard error: its reader stalls or its disk is full.",
      );
    },
  };
}

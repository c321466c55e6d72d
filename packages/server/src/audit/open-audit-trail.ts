import { type Clock, timestamp } from "@afterword/reference-server/internal";
import { AuditChain } from "./audit-chain.ts";
import { auditFields, type AuditTrail, AuditUnavailable } from "./audit-trail.ts";
import { openJsonLines } from "./json-lines.ts";

/** Longest time that an act waits for the reader of standard error. Requests that write no audit line never wait. */
const withinMs = 2000;

/** Chains lines one after the other, since each has the hash of the one before. */
function chained(clock: Clock, write: (line: object) => unknown, first?: object) {
  const chain = new AuditChain();
  let last: Promise<void> = Promise.resolve();
  const append: AuditTrail["append"] = (event) => {
    const written = (async (before) => {
      await before;
      const line = chain.linked({ ...first, time: timestamp(clock.now()), ...auditFields(event) });
      await write(line);
      chain.advance(line);
    })(last);
    last = written.catch(() => undefined);
    return written;
  };
  return { chain, append };
}

/** A file of one JSON line per event, to which several processes may append. @throws UsageError when it cannot be written */
export function openAuditFile(path: string, clock: Clock): AuditTrail {
  const file = openJsonLines(path, "audit file");
  const attempt = async (write: () => unknown) => {
    try {
      await write();
    } catch (error) {
      const reason = (error as Error).message;
      throw new AuditUnavailable(`Could not write to the audit file ${path}: ${reason}.`, { cause: error });
    }
  };
  return { ...chained(clock, (line) => attempt(() => file.append(line))), probe: () => attempt(file.check) };
}

/** The log, as far as it takes audit lines. */
type LineWriter = { write(line: string): unknown; flush(withinInMs: number): Promise<boolean> };

/** Writes audit lines to a file or, without one, between those of the log, at every log level. @throws UsageError */
export function openAuditTrail(file: string | undefined, log: LineWriter, clock: Clock): AuditTrail {
  if (file !== undefined) return openAuditFile(file, clock);
  // The writer keeps a line, even if its reader takes it too late for this act.
  const toLog = (line: object) => log.write(`${JSON.stringify(line)}\n`);
  const { chain, append } = chained(clock, toLog, { level: "info" });
  return {
    chain,
    async append(event) {
      await append(event);
      if (await log.flush(withinMs)) return;
      throw new AuditUnavailable(
        "Could not write the audit line to standard error: its reader stalls or its disk is full.",
      );
    },
  };
}

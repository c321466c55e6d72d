import { describe, expect, it } from "vitest";
import { openAuditTrail } from "../audit/open-audit-trail.ts";
import { type AuditEvent } from "../audit/audit-trail.ts";
import { createEventLog } from "./event-log.ts";
import { LogWriter, type LogTarget } from "./log-writer.ts";

/** A descriptor whose reader takes bytes when the test says so, and a clock that the test winds. */
class Reader implements LogTarget {
  taken = "";
  /** What becomes of the write that waits, and of those after it. */
  error: NodeJS.ErrnoException | null = null;
  capacity = Infinity;
  #waiting: (() => void) | undefined;
  #timers: (() => void)[] = [];

  write(bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void {
    this.#waiting = () => (this.error ? done(this.error, 0) : done(null, this.writeSync(bytes)));
  }

  writeSync(bytes: Buffer): number {
    if (this.error) throw this.error;
    const part = bytes.subarray(0, this.capacity);
    this.taken += part.toString("latin1");
    return part.length;
  }

  after(_: number, run: () => void): () => void {
    this.#timers.push(run);
    return () => (this.#timers = this.#timers.filter((other) => other !== run));
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** The write that waits comes to its end. */
  take(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  takeAll(): void {
    while (this.#waiting) this.take();
  }

  timePasses(): void {
    for (const run of this.#timers.splice(0)) run();
  }
}

function stage() {
  const reader = new Reader();
  return { reader, writer: new LogWriter(reader) };
}

const refusal = { kind: "request", requestId: "r", method: "GET", status: 404, durationInMs: 1 } as const;
const audit = (requestId: string): AuditEvent => ({
  kind: "audit",
  act: requestId,
  outcome: "done",
  action: "erase",
  host: "here",
  requestId,
  keyId: "k",
  respondents: [],
  isWholeProject: false,
  counts: {},
});

describe("a log whose reader stalls", () => {
  /** More requests than the log holds for later. */
  function stalled() {
    const { reader, writer } = stage();
    const clock = { now: () => 0 };
    const log = createEventLog(writer, "info", clock, "all");
    const { append } = openAuditTrail(undefined, writer, clock);
    let requests = 0;
    const flood = () => {
      for (let count = 0; count < 50_000; count++, requests++) log.emit(refusal);
    };
    const lines = () => {
      reader.takeAll();
      const told = reader.taken.trim().split("\n");
      return told.map(
        (line) => JSON.parse(line) as { event: string; details?: { requestId: string }; count?: number },
      );
    };
    return { reader, log, append, flood, lines, requests: () => requests };
  }

  it("keeps at most four megabytes of other lines, and counts the rest once they are written", async () => {
    const { reader, log, append, flood, lines, requests } = stalled();
    flood();
    log.emit({ kind: "failure", requestId: "r", error: new Error("broken") });
    const held = lines();
    expect(reader.taken.length).toBeLessThan(4_100_000);
    flood();
    const appended = append(audit("last"));
    const told = lines();
    await appended;
    const leftOut = told.filter(({ event }) => event === "lines-left-out");
    const kept = told.filter(({ event }) => event === "request").length;
    expect(held.at(-1)).toMatchObject({ event: "request" });
    expect(told[held.length]).toMatchObject({ level: "error", event: "lines-left-out" });
    expect(leftOut[0]!.count! + held.length).toBe(requests() / 2 + 1);
    expect(kept).toBeGreaterThan(held.length);
  });
});

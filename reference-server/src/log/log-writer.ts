export interface LogTarget {
  /** Like `fs.write` on a descriptor. */
  write(bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** Like `fs.writeSync` on the same descriptor. */
  writeSync(bytes: Buffer): number;
  /** Runs a function later; returns a function that cancels it. */
  after(delayInMs: number, run: () => void): () => void;
}

/** From how many queued bytes on `isBehind` is true, and below how many it is false again. */
const behindFrom = 4_000_000;
const caughtUpFrom = 2_000_000;
const retriedAfterMs = 100;
const nothing = Buffer.alloc(0);

/** Lines that are written together. `written` resolves to false when the reader is gone. */
const emptyBatch = () => ({ lines: [] as Buffer[], written: Promise.withResolvers<boolean>() });

/**
 * Writes lines in order, without blocking and without dropping any: lines queue in memory during a write and are retried
 * when the reader stalls or the disk is full. `isBehind` asks the caller to leave out dispensable lines. Existing
 * destinations drop audit lines, end the process when the disk is full, or delay its exit when the reader stalls.
 */
export class LogWriter {
  readonly #target: LogTarget;
  #next = emptyBatch();
  #current = emptyBatch();
  /** What is left of the current batch. */
  #rest: Buffer = nothing;
  #state: "idle" | "writing" | "paused" | "gone" = "idle";
  #queuedBytes = 0;
  #isBehind = false;

  constructor(target: LogTarget) {
    this.#target = target;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  write(line: string): void {
    if (this.#state === "gone") return;
    const bytes = Buffer.from(line);
    this.#next.lines.push(bytes);
    this.#queuedBytes += bytes.length;
    if (this.#queuedBytes > behindFrom) this.#isBehind = true;
    if (this.#state === "idle") this.#begin();
  }

  /** Resolves to true once all lines so far are written, or to false after `withinMs` or when the reader is gone. */
  async flush(withinMs: number): Promise<boolean> {
    if (this.#state === "idle" || this.#state === "gone") return this.#state === "idle";
    const last = this.#next.lines.length > 0 ? this.#next : this.#current;
    const late = Promise.withResolvers<boolean>();
    const callOff = this.#target.after(withinMs, () => late.resolve(false));
    return Promise.race([last.written.promise, late.promise]).finally(callOff);
  }

  /** Writes as much as possible without waiting, when the process exits. */
  writeRest(): void {
    // A write in flight completes by itself.
    const begun = this.#state === "writing" ? nothing : this.#rest;
    let bytes = Buffer.concat([begun, ...this.#next.lines]);
    try {
      while (bytes.length > 0) bytes = bytes.subarray(this.#target.writeSync(bytes));
    } catch {
      // The reader is gone or stalled, and the process is ending.
    }
  }

  #begin(): void {
    this.#state = "idle";
    if (this.#next.lines.length === 0) return;
    [this.#current, this.#next] = [this.#next, emptyBatch()];
    this.#rest = Buffer.concat(this.#current.lines);
    this.#continue();
  }

  #continue(): void {
    this.#state = "writing";
    this.#target.write(this.#rest, (error, written) => {
      if (error) return this.#failed(error);
      this.#rest = this.#rest.subarray(written);
      this.#queuedBytes -= written;
      if (this.#queuedBytes < caughtUpFrom) this.#isBehind = false;
      if (this.#rest.length > 0) return this.#continue();
      this.#current.written.resolve(true);
      this.#begin();
    });
  }

  #failed({ code }: NodeJS.ErrnoException): void {
    if (code !== "EPIPE") {
      this.#state = "paused";
      this.#target.after(retriedAfterMs, () => this.#continue());
      return;
    }
    // The reader has closed the pipe.
    this.#state = "gone";
    this.#rest = nothing;
    for (const { written } of [this.#current, this.#next]) written.resolve(false);
    this.#next = emptyBatch();
  }
}

/** Where lines of the log and of the audit go. */
export type LogDestination = Pick<LogWriter, "write" | "flush"> & Partial<Pick<LogWriter, "isBehind">>;

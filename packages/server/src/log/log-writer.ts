export interface LogTarget {
  /** Like `fs.write` on a descriptor. */
  write(bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** Like `fs.writeSync` on the same descriptor. */
  writeSync(bytes: Buffer): number;
  /** Runs a function later; returns a function that cancels it. */
  after(delayInMs: number, run: () => void): () => void;
}

/** From how many queued bytes on `isBehind` is true. */
const behindFrom = 4_000_000;
const retriedAfterInMs = 100;
const nothing = Buffer.alloc(0);

/**
 * Writes lines in order, without blocking and without dropping any: lines queue in memory during a write and are retried
 * when the reader stalls or the disk is full. Existing destinations drop audit lines, end the process when the disk is
 * full, or delay its exit when the reader stalls.
 */
export class LogWriter {
  readonly #target: LogTarget;
  #waiting: Buffer[] = [];
  /** The rest of the lines that are written now. */
  #rest: Buffer = nothing;
  #state: "idle" | "writing" | "paused" | "gone" = "idle";
  #queuedBytes = 0;
  /** Each with the bytes that are written before it resolves. */
  readonly #flushes = new Set<{ leftBytes: number; resolve: (isWritten: boolean) => void }>();

  constructor(target: LogTarget) {
    this.#target = target;
  }

  /** Whether the caller should leave out lines that it can spare. */
  get isBehind(): boolean {
    return this.#queuedBytes > behindFrom;
  }

  write(line: string): void {
    if (this.#state === "gone") return;
    const bytes = Buffer.from(line);
    this.#waiting.push(bytes);
    this.#queuedBytes += bytes.length;
    if (this.#state === "idle") this.#continue();
  }

  /** Resolves to true once all lines so far are written, or to false after `withinMs` or when the reader is gone. */
  async flush(withinMs: number): Promise<boolean> {
    if (this.#state === "idle" || this.#state === "gone") return this.#state === "idle";
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const flush = { leftBytes: this.#queuedBytes, resolve };
    this.#flushes.add(flush);
    const callOff = this.#target.after(withinMs, () => resolve(false));
    const isWritten = await promise;
    callOff();
    this.#flushes.delete(flush);
    return isWritten;
  }

  /** Writes as much as possible without waiting, when the process exits. */
  writeRest(): void {
    // A write in flight completes by itself.
    const begun = this.#state === "writing" ? nothing : this.#rest;
    let bytes = Buffer.concat([begun, ...this.#waiting]);
    try {
      while (bytes.length > 0) bytes = bytes.subarray(this.#target.writeSync(bytes));
    } catch {
      // The reader is gone or stalled, and the process is ending.
    }
  }

  #continue(): void {
    if (this.#rest.length === 0) this.#rest = Buffer.concat(this.#waiting.splice(0));
    this.#state = this.#rest.length === 0 ? "idle" : "writing";
    if (this.#state === "idle") return;
    this.#target.write(this.#rest, (error, written) => {
      if (error) return this.#failed(error);
      this.#rest = this.#rest.subarray(written);
      this.#queuedBytes -= written;
      for (const flush of this.#flushes) {
        flush.leftBytes -= written;
        if (flush.leftBytes <= 0) flush.resolve(true);
      }
      this.#continue();
    });
  }

  #failed({ code }: NodeJS.ErrnoException): void {
    if (code !== "EPIPE") {
      this.#state = "paused";
      this.#target.after(retriedAfterInMs, () => this.#continue());
      return;
    }
    // The reader has closed the pipe.
    this.#state = "gone";
    this.#rest = nothing;
    this.#waiting = [];
    for (const { resolve } of this.#flushes) resolve(false);
  }
}

/** The destination of log and audit lines. */
export type LogDestination = Pick<LogWriter, "write" | "flush"> & Partial<Pick<LogWriter, "isBehind">>;

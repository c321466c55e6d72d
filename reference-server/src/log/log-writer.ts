export interface LogTarget {
  /** Like `fs.write` on a descriptor. */
  write(bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** Like `fs.writeSync` on the same descriptor. */
  writeSync(bytes: Buffer): number;
  /** Runs a function later; returns a function that cancels it. */
  after(delayInMs: number, run: () => void): () => void;
}

/** From how many queued characters on `isBehind` is true, and below how many it is false again. */
const behindFrom = 4_000_000;
const caughtUpFrom = 2_000_000;
const retriedAfterMs = 100;
const mostLinesAtOnce = 1000;
const nothing = Buffer.alloc(0);

/**
 * Writes lines in order, without blocking and without dropping any: lines queue in memory during a write and are retried
 * when the reader stalls or the disk is full. `isBehind` asks the caller to leave out dispensable lines. Existing
 * destinations drop audit lines, end the process when the disk is full, or delay its exit when the reader stalls.
 */
export class LogWriter {
  readonly #target: LogTarget;
  #waiting: string[] = [];
  #waitingLength = 0;
  #chunk: Buffer = nothing;
  /** Lines in the chunk, and lines accepted and written so far. */
  #linesInChunk = 0;
  #accepted = 0;
  #written = 0;
  #isWriting = false;
  #isPaused = false;
  #isGone = false;
  #isBehind = false;
  #flushes: { through: number; resolve: (isWritten: boolean) => void }[] = [];

  constructor(target: LogTarget) {
    this.#target = target;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  write(line: string): void {
    // The reader has closed the pipe.
    if (this.#isGone) return;
    this.#waiting.push(line);
    this.#accepted++;
    this.#waitingLength += line.length;
    if (this.#waitingLength > behindFrom) this.#isBehind = true;
    if (!this.#isWriting && !this.#isPaused) this.#writeNext();
  }

  /** Resolves to true once all lines so far are written, or to false after `withinMs` or when the reader is gone. */
  flush(withinMs: number): Promise<boolean> {
    if (this.#isGone || this.#written === this.#accepted) return Promise.resolve(!this.#isGone);
    return new Promise((resolve) => {
      const callOff = this.#target.after(withinMs, () => resolve(false));
      this.#flushes.push({
        through: this.#accepted,
        resolve: (isWritten) => {
          callOff();
          resolve(isWritten);
        },
      });
    });
  }

  /** Writes as much as possible without waiting, when the process exits. */
  writeRest(): void {
    // A write in flight completes by itself.
    const begun = this.#isWriting ? nothing : this.#chunk;
    let bytes = Buffer.concat([begun, Buffer.from(this.#waiting.join(""))]);
    try {
      while (bytes.length > 0) bytes = bytes.subarray(this.#target.writeSync(bytes));
    } catch {
      // The reader is gone or stalled, and the process is ending.
    }
  }

  #writeNext(): void {
    if (this.#chunk.length === 0) this.#chunk = this.#take();
    if (this.#chunk.length === 0) return;
    this.#isWriting = true;
    this.#target.write(this.#chunk, (error, written) => {
      this.#isWriting = false;
      if (error) return this.#failed(error);
      this.#chunk = this.#chunk.subarray(written);
      if (this.#chunk.length === 0) this.#chunkWritten();
      this.#writeNext();
    });
  }

  #take(): Buffer {
    const lines = this.#waiting.splice(0, mostLinesAtOnce);
    const text = lines.join("");
    this.#linesInChunk = lines.length;
    this.#waitingLength -= text.length;
    if (this.#waitingLength < caughtUpFrom) this.#isBehind = false;
    return Buffer.from(text);
  }

  #failed({ code }: NodeJS.ErrnoException): void {
    if (code === "EPIPE") {
      this.#isGone = true;
      this.#chunk = nothing;
      this.#waiting = [];
      for (const { resolve } of this.#flushes.splice(0)) resolve(false);
      return;
    }
    this.#isPaused = true;
    this.#target.after(retriedAfterMs, () => {
      this.#isPaused = false;
      this.#writeNext();
    });
  }

  #chunkWritten(): void {
    this.#written += this.#linesInChunk;
    while (this.#flushes[0] && this.#flushes[0].through <= this.#written)
      this.#flushes.shift()!.resolve(true);
  }
}

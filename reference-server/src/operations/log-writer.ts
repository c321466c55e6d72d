/** What a log is written to, and how time passes there. */
export interface LogTarget {
  /** As `fs.write` on one descriptor. */
  write(bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** As `fs.writeSync` on the same one. */
  writeSync(bytes: Buffer): number;
  /** Runs it later, and returns what calls it off. */
  after(delayInMs: number, run: () => void): () => void;
}

/** Characters that may wait before lines that can be spared are left out, and from where on there is room again. */
const behindFrom = 4_000_000;
const caughtUpFrom = 2_000_000;
const retriedAfterMs = 100;
const mostLinesAtOnce = 1000;
const nothing = Buffer.alloc(0);

/**
 * Writes lines in their order, never waits for whoever reads them, and drops none: those that come while others are
 * being written wait, and a reader that stalls or a disk that is full is tried again. `isBehind` tells whoever writes
 * to spare what it can, for what waits is held in memory. A library's destination would drop audit lines like any
 * others, end the process when the log's disk is full, and hold up its end for a reader that stalls.
 */
export class LogWriter {
  readonly #target: LogTarget;
  #waiting: string[] = [];
  #waitingLength = 0;
  #chunk: Buffer = nothing;
  #isWriting = false;
  #isPaused = false;
  #isGone = false;
  #isBehind = false;
  #onIdle: (() => void)[] = [];

  constructor(target: LogTarget) {
    this.#target = target;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  write(line: string): void {
    // Nobody will ever read it.
    if (this.#isGone) return;
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (this.#waitingLength > behindFrom) this.#isBehind = true;
    if (!this.#isWriting && !this.#isPaused) this.#writeNext();
  }

  /** Resolves with true when all is written, or with false when the time is over. */
  flush(withinMs: number): Promise<boolean> {
    if (!this.#isWriting && !this.#isPaused) return Promise.resolve(true);
    return new Promise((resolve) => {
      const callOff = this.#target.after(withinMs, () => resolve(false));
      this.#onIdle.push(() => {
        callOff();
        resolve(true);
      });
    });
  }

  /** Writes as much as is taken at once: the process ends. */
  writeRest(): void {
    // What is being written ends by itself.
    const begun = this.#isWriting ? nothing : this.#chunk;
    let bytes = Buffer.concat([begun, Buffer.from(this.#waiting.join(""))]);
    try {
      while (bytes.length > 0) bytes = bytes.subarray(this.#target.writeSync(bytes));
    } catch {
      // Nobody takes it, and nobody is left to be told.
    }
  }

  #writeNext(): void {
    if (this.#chunk.length === 0) this.#chunk = this.#take();
    if (this.#chunk.length === 0) return this.#idle();
    this.#isWriting = true;
    this.#target.write(this.#chunk, (error, written) => {
      this.#isWriting = false;
      if (error) return this.#failed(error);
      this.#chunk = this.#chunk.subarray(written);
      this.#writeNext();
    });
  }

  #take(): Buffer {
    const lines = this.#waiting.splice(0, mostLinesAtOnce).join("");
    this.#waitingLength -= lines.length;
    if (this.#waitingLength < caughtUpFrom) this.#isBehind = false;
    return Buffer.from(lines);
  }

  #failed({ code }: NodeJS.ErrnoException): void {
    if (code === "EPIPE") {
      this.#isGone = true;
      this.#chunk = nothing;
      this.#waiting = [];
      return this.#idle();
    }
    this.#isPaused = true;
    this.#target.after(retriedAfterMs, () => {
      this.#isPaused = false;
      this.#writeNext();
    });
  }

  #idle(): void {
    for (const tell of this.#onIdle.splice(0)) tell();
  }
}

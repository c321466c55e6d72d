import { write, writeSync } from "node:fs";
import { Writable } from "node:stream";

/** From how many queued bytes on `isBehind` is true. */
const behindFrom = 4_000_000;
const retriedAfterInMs = 100;

type Done = (error?: Error | null) => void;

/**
 * Writes lines in order, without blocking and without dropping any: lines queue in memory during a write and are retried
 * when the reader stalls or the disk is full. Existing destinations drop audit lines, end the process when the disk is
 * full, or delay its exit when the reader stalls.
 */
export class LogWriter {
  readonly #descriptor: number;
  readonly #lines: Writable;
  #isEnding = false;
  /** Goes on with what is behind a write in flight, or with a write that waits to be tried again. */
  #goOn: Done | undefined;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#lines = new Writable({
      write: (bytes: Buffer, _, done) => this.#put(bytes, done),
    });
    // The reader has closed the pipe, and the lines are of no use any more.
    this.#lines.on("error", () => undefined);
  }

  /** Whether the caller should leave out lines that it can spare. */
  get isBehind(): boolean {
    return this.#lines.writableLength > behindFrom;
  }

  write(line: string): void {
    this.#lines.write(line);
  }

  /** Resolves to true once all lines so far are written, or to false after `withinMs` or when the reader is gone. */
  async flush(withinMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    this.#lines.write("", (error) => resolve(!error));
    return promise.finally(() => clearTimeout(timer));
  }

  /** Writes as much as possible without waiting, when the process exits. A write in flight completes by itself. */
  writeRest(): void {
    this.#isEnding = true;
    this.#goOn?.();
  }

  #put(bytes: Buffer, done: Done): void {
    this.#goOn = undefined;
    if (bytes.length === 0) return done();
    if (this.#isEnding) return this.#putAtOnce(bytes, done);
    this.#goOn = done;
    write(this.#descriptor, bytes, (error, written) => {
      if (!error) return this.#put(bytes.subarray(written), done);
      if (error.code === "EPIPE") return done(error);
      this.#goOn = () => this.#put(bytes, done);
      setTimeout(this.#goOn, retriedAfterInMs);
    });
  }

  #putAtOnce(bytes: Buffer, done: Done): void {
    try {
      for (let rest = bytes; rest.length > 0;) rest = rest.subarray(writeSync(this.#descriptor, rest));
      done();
    } catch (error) {
      // The reader is gone or stalled, and the process is ending.
      done(error as Error);
    }
  }
}

/** The destination of log and audit lines. */
export type LogDestination = Pick<LogWriter, "write" | "flush"> & Partial<Pick<LogWriter, "isBehind">>;

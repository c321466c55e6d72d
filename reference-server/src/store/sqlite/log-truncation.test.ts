import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConnection, openReader, type Connection } from "./connection.ts";
import { LogTruncation, type Pause } from "./log-truncation.ts";

const patienceInMs = 2000;
const diskFull = new Error("database or disk is full");

/** Timers that go off when a test says so. */
class HeldTimers {
  readonly asked: number[] = [];
  /** Lengths of those that keep a process alive. */
  readonly referenced: number[] = [];
  readonly #waiting = new Map<() => void, number>();

  readonly pause = ((inMs: number, _: unknown, { ref, signal }: { ref: boolean; signal: AbortSignal }) => {
    this.asked.push(inMs);
    if (ref) this.referenced.push(inMs);
    return new Promise<void>((resolve, reject) => {
      this.#waiting.set(resolve, inMs);
      signal.addEventListener("abort", () => {
        this.#waiting.delete(resolve);
        reject(signal.reason as Error);
      });
    });
  }) as Pause;

  /** Those that wait, shortest first. */
  get waiting(): number[] {
    return [...this.#waiting.values()].toSorted((one, other) => one - other);
  }

  /** Lets all pauses of a length end. */
  async pass(inMs: number): Promise<void> {
    for (const [resolve, waits] of this.#waiting) {
      if (waits !== inMs) continue;
      this.#waiting.delete(resolve);
      resolve();
    }
    await setImmediate();
  }
}

describe("taking the log off the disk", () => {
  let folder: string;
  let path: string;
  let connection: Connection;
  let reader: Connection;
  let timers: HeldTimers;
  let truncation: LogTruncation;
  let attempts: number;
  let failingAttempts: number;
  let failures: unknown[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "afterword-log-"));
    path = join(folder, "a.db");
    connection = openConnection(path, "create");
    attempts = 0;
    failingAttempts = 0;
    const pragma = connection.pragma.bind(connection);
    connection.pragma = ((text: string) => {
      attempts += 1;
      if (attempts <= failingAttempts) throw diskFull;
      return pragma(text);
    }) as typeof pragma;
    timers = new HeldTimers();
    failures = [];
    truncation = new LogTruncation(connection, (error) => failures.push(error), timers.pause);
    reader = openReader(path);
  });
  afterEach(() => {
    truncation.stop();
    reader.close();
    connection.close();
    rmSync(folder, { recursive: true });
  });

  const logLength = () => statSync(`${path}-wal`).size;
  const write = () => connection.exec("UPDATE directory SET version = version + 1");

  /** As an export does: what is written afterwards stays in the log while it goes on. */
  function startReading(): void {
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM directory").all();
    write();
  }

  it("is done at once where nobody reads", async () => {
    write();
    await truncation.run();
    expect([logLength(), attempts, timers.asked]).toEqual([0, 1, []]);
  });

  it("is answered as soon as the reader ends", async () => {
    startReading();
    const answer = truncation.run();
    expect(timers.waiting).toEqual([50, patienceInMs]);
    reader.exec("COMMIT");
    await timers.pass(50);
    await answer;
    expect([logLength(), timers.waiting]).toEqual([0, []]);
  });

  it("goes on after two seconds, less and less often, until no reader holds it", async () => {
    startReading();
    const answer = truncation.run();
    await timers.pass(patienceInMs);
    await answer;
    const pauses = [50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000];
    for (const pause of pauses) await timers.pass(pause);
    expect(timers.asked.filter((asked) => asked !== patienceInMs)).toEqual([...pauses, 10_000]);
    expect(logLength()).toBeGreaterThan(0);
    reader.exec("COMMIT");
    await timers.pass(10_000);
    expect([logLength(), timers.waiting]).toEqual([0, []]);
  });

  it("goes on once for any number of erasures that one reader holds up", async () => {
    startReading();
    const answers = Array.from({ length: 20 }, () => truncation.run());
    expect([attempts, timers.waiting.filter((pause) => pause !== patienceInMs)]).toEqual([20, [50]]);
    await timers.pass(patienceInMs);
    await Promise.all(answers);
    await timers.pass(50);
    expect([attempts, timers.waiting]).toEqual([21, [100]]);
  });

  it("fails nobody: an attempt that fails is told, and made again until it succeeds", async () => {
    write();
    failingAttempts = 2;
    const answer = truncation.run();
    await timers.pass(patienceInMs);
    await expect(answer).resolves.toBeUndefined();
    await timers.pass(50);
    expect(failures).toEqual([diskFull, diskFull]);
    await timers.pass(100);
    expect([logLength(), timers.waiting]).toEqual([0, []]);
  });

  it("keeps the process alive while somebody waits, and no longer", async () => {
    startReading();
    const answer = truncation.run();
    expect(timers.referenced).toEqual([patienceInMs]);
    await timers.pass(patienceInMs);
    await answer;
    await timers.pass(50);
    expect([timers.referenced, truncation.isHeld]).toEqual([[patienceInMs], true]);
  });

  it("is tried once more at the end, also for what another process has left", () => {
    startReading();
    truncation.finish();
    expect(logLength()).toBeGreaterThan(0);
    expect(truncation.isHeld).toBe(false);
    reader.exec("COMMIT");
    truncation.finish();
    expect(logLength()).toBe(0);
  });

  it("ends with the store", async () => {
    startReading();
    const answer = truncation.run();
    truncation.stop();
    await answer;
    expect([attempts, timers.waiting]).toEqual([1, []]);
  });
});

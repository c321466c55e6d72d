import type { Clock } from "./clock.ts";

interface Sleeper {
  wakesAt: number;
  wake: () => void;
}

/** Time that stands still until a test moves it. */
export class TestClock implements Clock {
  #now = Date.parse("2026-11-21T09:00:00.000Z");
  /** How far the time of day was set back. */
  setBackByInMs = 0;
  #sleepers: Sleeper[] = [];

  now(): number {
    return this.#now - this.setBackByInMs;
  }

  monotonic(): number {
    return this.#now;
  }

  /** How many timers would keep a process alive. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(delayInMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || delayInMs <= 0) return resolve();
      const wake = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      };
      const sleeper: Sleeper = { wakesAt: this.#now + delayInMs, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round += 1) await new Promise(setImmediate);
  }

  /** Moves on, waking each sleeper at its own moment. */
  async advance(byInMs: number): Promise<void> {
    const end = this.#now + byInMs;
    await this.settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.wakesAt);
      next.wake();
      await this.settle();
    }
    this.#now = end;
  }

  /** Moves on until the promise has settled, and gives its result. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const settled = () => void (state.isSettled = true);
    promise.then(settled, settled);
    let turns = 100_000;
    await this.settle();
    while (!state.isSettled) {
      const next = this.#next(Infinity);
      if (!next) {
        // Something outside the clock, such as a module that is being loaded, needs real turns of the event loop.
        turns -= 1;
        if (turns === 0) throw new Error("Nothing sleeps, and still the promise has not settled.");
        await this.settle();
        continue;
      }
      this.#now = Math.max(this.#now, next.wakesAt);
      next.wake();
      await this.settle();
    }
    return promise;
  }

  #next(before: number): Sleeper | undefined {
    const due = this.#sleepers.filter(({ wakesAt }) => wakesAt <= before);
    return due.toSorted((left, right) => left.wakesAt - right.wakesAt)[0];
  }
}

import type { Logger } from "../options/logger.ts";
import type { Clock } from "../options/clock.ts";
import type { ForwarderHealth } from "./health.ts";
import type { Waiting } from "./waiting.ts";

const lookEveryInMs = 1000;
const repeatEveryInMs = 60_000;

const timeOfDay = (time: string) => `${time.slice(11, 19)}Z`;

function lineOf({ for: name, reason, rows, since, until }: Waiting): string {
  const cause = reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason;
  const next = until === null ? "" : `, next attempt ${timeOfDay(until)}`;
  return `${rows > 0 ? `${rows} ` : ""}waiting for ${name}: ${cause} (since ${timeOfDay(since)}${next})`;
}

/** Logs what is waited for and what was refused for good: a new reason within a second, a known one once a minute. */
export class WaitingReport {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #read: () => ForwarderHealth;
  readonly #toldAt = new Map<string, number>();
  #refusedWhenTold = 0;

  constructor(clock: Clock, logger: Logger, read: () => ForwarderHealth) {
    this.#clock = clock;
    this.#logger = logger;
    this.#read = read;
  }

  /** Until the signal is aborted. */
  async watch(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(lookEveryInMs, signal);
      if (signal.aborted) return;
      this.#tell(this.#read());
    }
  }

  #tell({ waiting, failed, lastRefusal }: ForwarderHealth): void {
    for (const entry of waiting)
      if (this.#isDue(`${entry.for} ${entry.reason}`)) this.#logger.warn(lineOf(entry));
    const refused = failed - this.#refusedWhenTold;
    if (refused === 0 || !this.#isDue(`refused ${lastRefusal}`)) return;
    this.#refusedWhenTold = failed;
    this.#logger.warn(`${refused} refused for good: ${lastRefusal}`);
  }

  #isDue(what: string): boolean {
    const now = this.#clock.now();
    for (const [told, at] of this.#toldAt) if (now - at >= repeatEveryInMs) this.#toldAt.delete(told);
    if (this.#toldAt.has(what)) return false;
    this.#toldAt.set(what, now);
    return true;
  }
}

import type { Clock } from "../options/clock.ts";
import type { Logger } from "../options/logger.ts";
import type { Delivery } from "./delivery.ts";
import type { ForwarderHealth } from "./health.ts";

/** What the forwarder waits for, and why. */
export interface Waiting {
  /** Name of the sink, or `service`. */
  for: string;
  /** Without personal data, keys and request ids. */
  reason: string;
  /** How many ratings wait, among those that the last polls have listed. */
  rows: number;
  /** RFC 3339, when it began. */
  since: string;
  /** RFC 3339, the next attempt; `null` if that depends on something else. */
  until: string | null;
}

/** A reason without request ids, so that the same cause has the same reason. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/ [([]request (id )?[\w.-]+[)\]]/g, "");
}

interface WaitingSources extends Pick<Delivery, "service" | "limiter" | "memory" | "backlog"> {
  sink: string;
  unacknowledged: number;
  /** RFC 3339 of a moment of the monotonic clock. */
  timeOf: (moment: number) => string;
}

/** What waits for one reason, with moments of the monotonic clock. */
interface Wait extends Pick<Waiting, "for" | "reason" | "rows"> {
  since: number;
  notBefore: number | null;
}

/** Everything the forwarder waits for: the service first, then the sink as a whole, then rows by their reason. */
export function waitingNow(sources: WaitingSources): Waiting[] {
  const { timeOf } = sources;
  return [...forService(sources), ...forSink(sources)].map(({ since, notBefore, ...wait }) => ({
    ...wait,
    since: timeOf(since),
    until: notBefore === null ? null : timeOf(notBefore),
  }));
}

function forService({ service, backlog, unacknowledged }: WaitingSources): Wait[] {
  const polling = service.trouble("polling");
  const acknowledging = service.trouble("acknowledging");
  const name = { for: "service" };
  return [
    ...(polling ? [{ ...name, ...polling, rows: backlog.size, notBefore: service.nextPollAt }] : []),
    ...(acknowledging ? [{ ...name, ...acknowledging, rows: unacknowledged, notBefore: null }] : []),
  ];
}

function forSink({ sink, limiter, memory, backlog }: WaitingSources): Wait[] {
  const { pause } = limiter;
  const byReason = new Map<string, Wait & { notBefore: number }>();
  for (const { reason, since, notBefore } of memory.waits) {
    const known = byReason.get(reason);
    if (known) {
      known.rows += 1;
      known.since = Math.min(known.since, since);
      known.notBefore = Math.min(known.notBefore, notBefore);
    } else byReason.set(reason, { for: sink, reason, rows: 1, since, notBefore });
  }
  // While the sink is paused all rows wait, including those that were never pushed.
  if (pause) byReason.set(pause.reason, { for: sink, ...pause, rows: backlog.size });
  return [...byReason.values()];
}

const lookEveryInMs = 1000;
const repeatEveryInMs = 60_000;

const timeOfDay = (time: string) => `${time.slice(11, 19)}Z`;

/** How many ratings wait, for which sink or service, and why. */
export function whatWaits({ for: name, reason, rows }: Waiting): string {
  const cause = reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason;
  return `${rows > 0 ? `${rows} ` : ""}waiting for ${name}: ${cause}`;
}

function lineOf(waiting: Waiting): string {
  const next = waiting.until === null ? "" : `, next attempt ${timeOfDay(waiting.until)}`;
  return `${whatWaits(waiting)} (since ${timeOfDay(waiting.since)}${next})`;
}

/** Logs what the forwarder waits for and what was refused: a new reason within a second, a known one once a minute. */
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

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

/** Everything the forwarder waits for: the service first, then the sink as a whole, then rows by their reason. */
export function waitingNow(sources: WaitingSources): Waiting[] {
  return [...forService(sources), ...forSink(sources)];
}

function forService({ service, backlog, unacknowledged, timeOf }: WaitingSources): Waiting[] {
  const polling = service.trouble("polling");
  const acknowledging = service.trouble("acknowledging");
  const entry = (
    { reason, since }: { reason: string; since: number },
    rows: number,
    until: string | null,
  ) => ({
    for: "service",
    reason,
    rows,
    since: timeOf(since),
    until,
  });
  return [
    ...(polling ? [entry(polling, backlog.size, timeOf(service.nextPollAt))] : []),
    ...(acknowledging ? [entry(acknowledging, unacknowledged, null)] : []),
  ];
}

function forSink({ sink, limiter, memory, backlog, timeOf }: WaitingSources): Waiting[] {
  const { pause } = limiter;
  const byReason = new Map<string, { rows: number; since: number; notBefore: number }>();
  for (const { reason, since, notBefore } of memory.waits) {
    const known = byReason.get(reason);
    if (known) {
      known.rows += 1;
      known.since = Math.min(known.since, since);
      known.notBefore = Math.min(known.notBefore, notBefore);
    } else byReason.set(reason, { rows: 1, since, notBefore });
  }
  // While the sink is paused all rows wait, including those that were never pushed.
  if (pause) byReason.set(pause.reason, { ...pause, rows: backlog.size });
  return [...byReason].map(([reason, { rows, since, notBefore }]) => ({
    for: sink,
    reason,
    rows,
    since: timeOf(since),
    until: timeOf(notBefore),
  }));
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

  /** Logs until the signal is aborted. */
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

import type { Clock } from "../options/clock.ts";
import type { Logger } from "../options/logger.ts";
import type { State } from "./forwarder-state.ts";
import type { ForwarderStatus } from "./forwarder-status.ts";
import type { Trouble } from "./trouble.ts";

/** What the forwarder waits for, and why. */
export interface Waiting {
  /** Name of the sink, or `service`. */
  for: string;
  /** Without personal data, keys and request ids. */
  reason: string;
  /** How many scores wait, among those that the last polls have listed. */
  rows: number;
  /** RFC 3339, when it began. */
  since: string;
  /** RFC 3339, the next attempt; `null` if that depends on something else. */
  until: string | null;
}

/** Everything the forwarder waits for: the service first, then the sink as a whole, then scores by their reason. */
export function waitingNow(
  { acks, book, settings, sink, walk }: State,
  now: number,
  rfc3339: (moment: number) => string | null,
): Waiting[] {
  const { name } = settings.sink;
  const undelivered = book.size - acks.size;
  const byReason = new Map<string, { trouble: Trouble; rows: number }>();
  for (const { state, trouble } of book.all) {
    if (trouble === undefined || (state !== "deferred" && state !== "pushing")) continue;
    const known = byReason.get(trouble.reason) ?? { trouble, rows: 0 };
    const since = Math.min(known.trouble.since, trouble.since);
    const until = Math.min(known.trouble.until, trouble.until);
    byReason.set(trouble.reason, { trouble: { ...trouble, since, until }, rows: known.rows + 1 });
  }
  // While the sink is paused all scores wait, including those that were never pushed.
  if (sink.trouble && sink.isPaused(now))
    byReason.set(sink.trouble.reason, { trouble: sink.trouble, rows: undelivered });
  const waits = [
    { for: "service", trouble: walk.trouble, rows: undelivered, isPlanned: walk.loading === undefined },
    { for: "service", trouble: acks.trouble, rows: acks.size, isPlanned: false },
    ...[...byReason.values()].map((wait) => ({ for: name, ...wait, isPlanned: true })),
  ];
  return waits.flatMap(({ for: what, trouble, rows, isPlanned }) => {
    if (trouble === undefined) return [];
    const until = isPlanned ? rfc3339(trouble.until) : null;
    return [{ for: what, reason: trouble.reason, rows, since: rfc3339(trouble.since)!, until }];
  });
}

const lookEveryInMs = 1000;
const repeatEveryInMs = 60_000;

const timeOfDay = (time: string) => `${time.slice(11, 19)}Z`;

/** How many scores wait, for which sink or service, and why. */
export function whatWaits({ for: name, reason, rows }: Waiting): string {
  const cause = reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason;
  return `${rows > 0 ? `${rows} ` : ""}waiting for ${name}: ${cause}`;
}

function lineOf(waiting: Waiting): string {
  const next = waiting.until === null ? "" : `, next attempt ${timeOfDay(waiting.until)}`;
  return `${whatWaits(waiting)} (since ${timeOfDay(waiting.since)}${next})`;
}

/** Logs what the forwarder waits for and what was refused: a new reason within a second, a known one once a minute. */
export async function logWaiting(
  clock: Clock,
  logger: Logger,
  read: () => ForwarderStatus,
  signal: AbortSignal,
): Promise<void> {
  const loggedAt = new Map<string, number>();
  let refusedBefore = 0;
  const isDue = (what: string) => {
    const now = clock.now();
    for (const [known, at] of loggedAt) if (now - at >= repeatEveryInMs) loggedAt.delete(known);
    if (loggedAt.has(what)) return false;
    loggedAt.set(what, now);
    return true;
  };
  for (;;) {
    await clock.sleep(lookEveryInMs, signal);
    if (signal.aborted) return;
    const { waiting, failed, lastRefusal } = read();
    for (const entry of waiting) if (isDue(`${entry.for} ${entry.reason}`)) logger.warn(lineOf(entry));
    const refused = failed - refusedBefore;
    if (refused === 0 || !isDue(`refused ${lastRefusal}`)) continue;
    refusedBefore = failed;
    logger.warn(`${refused} refused for good: ${lastRefusal}`);
  }
}

import type { DeliveryCounts, State } from "./forwarder-state.ts";
import type { ScoreEntry } from "./score-book.ts";
import type { Trouble } from "./trouble.ts";

export type ForwarderState = "idle" | "running" | "paused" | "stopping" | "stopped" | "failed";

/** The state of one destination. */
export interface SinkHealth extends DeliveryCounts {
  sink: string;
  /** These three are as in the forwarder's own health, of the scores that this sink has not decided about. */
  pending: number;
  oldestAt: string | null;
  lagInMs: number | null;
  /** RFC 3339; `null` while it is not paused. */
  pausedUntil: string | null;
  lastProblem: string | null;
}

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

/** The state of a forwarder, as plain data for a health endpoint. */
export interface ForwarderStatus extends DeliveryCounts {
  /** `paused` while calls of the sink are paused, `failed` after the sink or the service has refused everything. */
  state: ForwarderState;
  sink: string;
  /** The same for each sink of a `fanOut`; one entry otherwise. */
  sinks: SinkHealth[];
  /**
   * Why a running forwarder is stalled; `null` if it is not. It is stalled when for `stalledAfterInMs` the sink has failed as
   * a whole or has taken none of five scores, acknowledgements were not confirmed, the queue could not be read, or the
   * loop took no step. A single score that waits stalls nothing.
   */
  stalled: string | null;
  /** What the forwarder waits for, and why; empty if all goes well. */
  waiting: Waiting[];
  /** How many calls of the service have failed, the client's retries not counted. */
  serviceFailures: { polling: number; acknowledging: number };
  /** Delivered or refused, but not yet confirmed by the service. */
  unacknowledged: number;
  /** Scores that wait for another attempt. */
  deferred: number;
  /** Scores that are not settled, among those that the last polls have listed. */
  pending: number;
  /** RFC 3339, when the oldest of them was answered; `null` if none waits. */
  oldestAt: string | null;
  /**
   * Age in milliseconds of the oldest score that is not settled, among those that the last polls have listed. A score counts
   * until its acknowledgement is confirmed. 0 for an empty queue, `null` before the first poll. While the queue cannot be
   * read, at least the time since it was last read.
   */
  lagInMs: number | null;
  /** RFC 3339; `null` before the first. */
  lastPolledAt: string | null;
  lastDeliveredAt: string | null;
  pausedUntil: string | null;
  /** The last problem, without personal data. */
  lastProblem: string | null;
  /** Why the last permanently refused score was refused; `null` before the first. */
  lastRefusal: string | null;
}

/** So many different scores that the sink has not taken, and none that it has, concern the sink. */
const failuresOfSink = 5;

/** Reads the status of this moment. Terminal, log, health, metrics and telemetry read it, and nothing else. */
export function readStatus(state: State): ForwarderStatus {
  const { acks, book, counts, settings, sink, walk } = state;
  const now = settings.clock.now();
  const rfc3339 = momentReader(state, now);
  const isRunning = state.condition === "running";
  const isPaused = isRunning && sink.isPaused(now);
  const waiting = waitingNow(state, now, rfc3339);
  return {
    state: isPaused ? "paused" : (state.condition as ForwarderState),
    sink: settings.sink.name,
    sinks: readSinks(state),
    stalled: isRunning ? stalled(state, waiting[0]?.reason ?? null, now) : null,
    waiting,
    serviceFailures: { polling: walk.failures, acknowledging: acks.failures },
    ...counts,
    unacknowledged: acks.size,
    deferred: book.deferred,
    ...queueOf(state, now),
    lastPolledAt: rfc3339(state.lastPolledAt),
    lastDeliveredAt: rfc3339(state.lastDeliveredAt),
    pausedUntil: isPaused ? rfc3339(sink.trouble?.until) : null,
    lastProblem: state.lastProblem,
    lastRefusal: state.lastRefusal,
  };
}

function readSinks(state: State): SinkHealth[] {
  const { counts, lastSinkProblem: lastProblem, settings, sink } = state;
  const now = settings.clock.now();
  const rfc3339 = momentReader(state, now);
  const parts = settings.sink.parts?.();
  if (parts === undefined) {
    const pausedUntil = sink.isPaused(now) ? rfc3339(sink.trouble?.until) : null;
    return [{ sink: settings.sink.name, ...counts, ...queueOf(state, now), pausedUntil, lastProblem }];
  }
  return parts.map(({ name, pausedForInMs, needs, ...known }) => ({
    sink: name,
    ...known,
    ...queueOf(state, now, ({ id }) => needs(id)),
    pausedUntil: pausedForInMs > 0 ? rfc3339(now + pausedForInMs) : null,
  }));
}

/** Moments of the monotonic clock as RFC 3339. */
const momentReader = ({ settings }: State, now: number) => {
  const wall = settings.wallClock.now();
  return (moment: number | undefined) =>
    moment === undefined ? null : new Date(Math.round(wall + moment - now)).toISOString();
};

/** How many scores wait, since when, and the lag. Default: all count. */
function queueOf(
  { book, settings, unreadSince, walk }: State,
  now: number,
  counts: (entry: ScoreEntry) => boolean = () => true,
) {
  const wall = settings.wallClock.now();
  let pending = 0;
  let listedAt = Infinity;
  for (const entry of book.all) {
    if (!counts(entry)) continue;
    pending += 1;
    listedAt = Math.min(listedAt, entry.at);
  }
  if (pending === 0) listedAt = walk.beyondAt ?? Infinity;
  const unread = unreadSince === undefined ? Infinity : wall + unreadSince - now;
  const oldest = Math.min(listedAt, unread);
  const unknownLag = walk.beyondAt === undefined ? null : 0;
  return {
    pending,
    oldestAt: listedAt === Infinity ? null : new Date(listedAt).toISOString(),
    lagInMs: oldest === Infinity ? unknownLag : Math.max(0, Math.round(wall - oldest)),
  };
}

/** Everything the forwarder waits for: the service first, then the sink as a whole, then scores by their reason. */
function waitingNow(
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

/** Why a running forwarder delivers nothing; `null` if it does, or has nothing to deliver. `cause` is the first known problem. */
function stalled(state: State, cause: string | null, now: number): string | null {
  const { acks, advancedAt, book, settings, sink, steppedAt, unreadSince, walk } = state;
  const { stalledAfterInMs } = settings;
  const reason = (what: string, since: number) =>
    `${what} for ${age(now - since)}${cause === null ? "" : `: ${cause}`}`;
  if (now - advancedAt >= stalledAfterInMs) {
    const undelivered = book.size - acks.size;
    const parts = settings.sink.parts?.() ?? [];
    const isPart = parts.some(({ pausedForInMs }) => pausedForInMs > 0);
    const isSink = isPart || sink.trouble !== undefined || sink.failedInARow >= failuresOfSink;
    if (undelivered > 0 && isSink) return reason(`${undelivered} waiting, none delivered`, advancedAt);
    if (acks.trouble) return reason(`${acks.size} delivered, but not acknowledged`, advancedAt);
    if (unreadSince !== undefined) return reason("could not read the queue", advancedAt);
  }
  // The next poll may be planned for later than the limit.
  const plannedAt = walk.isOn ? 0 : walk.dueAt;
  const isStuck = now - Math.max(steppedAt, plannedAt) >= stalledAfterInMs && book.deferred === 0;
  return isStuck ? reason("the forwarder has done nothing", steppedAt) : null;
}

const age = (inMs: number) =>
  inMs < 120_000 ? `${Math.round(inMs / 1000)} s` : `${Math.round(inMs / 60_000)} min`;

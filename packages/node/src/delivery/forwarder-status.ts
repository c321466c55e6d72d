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
  scores: number;
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
   * Why a running forwarder is stalled; `null` if it is not. It is stalled when for `stalledAfterInMs` nothing was delivered
   * because the sink has failed as a whole, has taken none of five scores or has not answered, because acknowledgements
   * were not confirmed, or because the queue could not be read. A single score that waits stalls nothing.
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
  const { book, counts, settings, sink } = state;
  const now = settings.clock.now();
  const wall = settings.wallClock.now();
  const rfc3339 = (moment: number | undefined) =>
    moment === undefined ? null : new Date(Math.round(wall + moment - now)).toISOString();
  const slowAfterInMs = Math.max(settings.pollIntervalInMs, 1000);
  const polling = state.walk.request.status(now, slowAfterInMs);
  const acknowledging = state.acks.request.status(now, slowAfterInMs);
  const unreadSince = polling.trouble && (state.lastPolledAt ?? state.advancedAt);
  const queue = (counts?: (entry: ScoreEntry) => boolean) =>
    queueOf(state, wall, unreadSince === undefined ? Infinity : wall + unreadSince - now, counts);
  const isRunning = state.condition === "running";
  const pausedUntil = sink.isPaused(now) ? rfc3339(sink.trouble?.until) : null;
  const waiting = [
    ...waitingFor("service", polling.trouble, book.undelivered, !state.walk.isLoading),
    ...waitingFor("service", acknowledging.trouble, book.unacknowledged, false),
    ...waitingForSink(state, now),
  ].map(({ since, until, ...wait }) => ({ ...wait, since: rfc3339(since)!, until: rfc3339(until) }));
  const own = { ...counts, ...queue(), pausedUntil, lastProblem: state.lastSinkProblem };
  const parts = settings.sink.parts?.().map(({ name, pausedForInMs, needs, ...known }) => ({
    sink: name,
    ...known,
    ...queue(({ id }) => needs(id)),
    pausedUntil: pausedForInMs > 0 ? rfc3339(now + pausedForInMs) : null,
  }));
  const causes = { polling: polling.trouble, acknowledging: acknowledging.trouble };
  return {
    ...own,
    state: isRunning && pausedUntil !== null ? "paused" : state.condition,
    sink: settings.sink.name,
    sinks: parts ?? [{ sink: settings.sink.name, ...own }],
    stalled: isRunning ? stalled(state, causes, waiting[0]?.reason, now) : null,
    waiting,
    serviceFailures: { polling: polling.failures, acknowledging: acknowledging.failures },
    unacknowledged: book.unacknowledged,
    deferred: book.count.deferred,
    lastPolledAt: rfc3339(state.lastPolledAt),
    lastDeliveredAt: rfc3339(state.lastDeliveredAt),
    pausedUntil: isRunning ? pausedUntil : null,
    lastProblem: state.lastProblem,
    lastRefusal: state.lastRefusal,
  };
}

/** How many scores wait, since when, and the lag. `wall` and `unreadSince` are times of day. Default: all scores count. */
function queueOf(
  { book, walk }: State,
  wall: number,
  unreadSince: number,
  counts: (entry: ScoreEntry) => boolean = () => true,
) {
  let pending = 0;
  let oldest = Infinity;
  for (const entry of book.all) {
    if (!counts(entry)) continue;
    pending += 1;
    oldest = Math.min(oldest, entry.at);
  }
  if (pending === 0) oldest = walk.beyondAt ?? Infinity;
  const since = Math.min(oldest, unreadSince);
  const unknownLag = walk.beyondAt === undefined ? null : 0;
  return {
    pending,
    oldestAt: oldest === Infinity ? null : new Date(oldest).toISOString(),
    lagInMs: since === Infinity ? unknownLag : Math.max(0, Math.round(wall - since)),
  };
}

/** As `Waiting`, with moments of the monotonic clock. */
type Wait = Pick<Waiting, "for" | "reason" | "scores"> & { since: number; until: number | undefined };

/** @param isPlanned whether the next attempt depends on time alone */
const waitingFor = (
  what: string,
  trouble: Trouble | undefined,
  scores: number,
  isPlanned: boolean,
): Wait[] =>
  trouble === undefined
    ? []
    : [
        {
          for: what,
          reason: trouble.reason,
          scores,
          since: trouble.since,
          until: isPlanned ? trouble.until : undefined,
        },
      ];

/** Scores by the reason for which they wait. While the sink is paused all wait, including those that were never pushed. */
function waitingForSink({ book, settings, sink }: State, now: number): Wait[] {
  const { name } = settings.sink;
  const byReason = new Map<string, { trouble: Trouble; scores: number }>();
  for (const { state, trouble } of book.all) {
    if (trouble === undefined || (state !== "deferred" && state !== "pushing")) continue;
    const known = byReason.get(trouble.reason) ?? { trouble, scores: 0 };
    const since = Math.min(known.trouble.since, trouble.since);
    const until = Math.min(known.trouble.until, trouble.until);
    byReason.set(trouble.reason, { trouble: { ...trouble, since, until }, scores: known.scores + 1 });
  }
  if (sink.trouble && sink.isPaused(now))
    byReason.set(sink.trouble.reason, { trouble: sink.trouble, scores: book.undelivered });
  return [...byReason.values()].flatMap(({ trouble, scores }) => waitingFor(name, trouble, scores, true));
}

/** Why a running forwarder delivers nothing; `null` if it does, or has nothing to deliver. `cause` is the first known problem. */
function stalled(
  { advancedAt, book, calls, settings, sink }: State,
  { polling, acknowledging }: Record<"polling" | "acknowledging", Trouble | undefined>,
  cause: string | undefined,
  now: number,
): string | null {
  const { stalledAfterInMs } = settings;
  if (now - advancedAt < stalledAfterInMs) return null;
  const reason = (what: string) =>
    `${what} for ${age(now - advancedAt)}${cause === undefined ? "" : `: ${cause}`}`;
  const failed = [...book.all].filter(({ acceptedBefore }) => acceptedBefore === sink.accepted).length;
  const isPart = settings.sink.parts?.().some(({ pausedForInMs }) => pausedForInMs > 0) ?? false;
  const hangs = [...calls.values()].some(({ since }) => now - since >= stalledAfterInMs);
  const isSink = isPart || hangs || sink.trouble !== undefined || failed >= failuresOfSink;
  if (book.undelivered > 0 && isSink) return reason(`${book.undelivered} waiting, none delivered`);
  if (acknowledging) return reason(`${book.unacknowledged} delivered, but not acknowledged`);
  return polling ? reason("could not read the queue") : null;
}

const age = (inMs: number) =>
  inMs < 120_000 ? `${Math.round(inMs / 1000)} s` : `${Math.round(inMs / 60_000)} min`;

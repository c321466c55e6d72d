import type { Leased } from "@afterword/protocol";
import type { ForwarderCore } from "./forwarder-core.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Failure } from "../scores/failure.ts";
import type { DeliveryCounts, Sink } from "../scores/sink.ts";

/** What a forwarder does. `paused`: it leaves the sink alone for now; `failed`: it has ended, and `start()` rejects. */
export type ForwarderState = "idle" | "running" | "paused" | "stopping" | "stopped" | "failed";

/** The state of one destination. */
export interface SinkHealth extends DeliveryCounts {
  sink: string;
  /** Scores that are not settled, among those that the last polls have listed. */
  pending: number;
  /**
   * Age of the oldest of them in milliseconds. A score counts until its acknowledgement is confirmed. 0 for an empty queue,
   * `null` before the first poll. While the queue cannot be read, at least the time since it was last read.
   */
  lagInMs: number | null;
  /** The last problem, without personal data. */
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
  /** RFC 3339, the next attempt; `null` while one is under way. */
  until: string | null;
}

/** The state of a forwarder, as plain data for a health endpoint. `lastProblem` may also be one of the service. */
export interface ForwarderStatus extends SinkHealth {
  /** `paused` while calls of the sink are paused, `failed` after the sink or the service has refused everything. */
  state: ForwarderState;
  /** The same for each sink of a `fanOut`, of the scores that it has not decided about; one entry otherwise. */
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
  /** Scores that other forwarders hold, and when the last of their leases ends; `count` is 0 if the service does not say. */
  leased: Leased;
  /** RFC 3339; `null` before the first. */
  lastDeliveredAt: string | null;
  /** Why the last permanently refused score was refused; `null` before the first. */
  lastRefusal: string | null;
}

type StatusSettings = Pick<
  DeliverySettings,
  "clock" | "pollIntervalInMs" | "sink" | "stalledAfterInMs" | "wallClock"
>;

/** So many different scores that the sink has not taken, and none that it has, concern the sink. */
const failuresOfSink = 5;

/** Reads the status of this moment. Terminal, log, health, metrics and telemetry read it, and nothing else. */
export function readStatus(core: ForwarderCore, settings: StatusSettings): ForwarderStatus {
  const { acks, book, calls, reader } = core;
  const { name } = settings.sink;
  const now = settings.clock.now();
  const wall = settings.wallClock.now();
  const rfc3339 = (moment: number) => new Date(Math.round(wall + moment - now)).toISOString();
  const slowAfterInMs = Math.max(settings.pollIntervalInMs, 1000);
  const polling = reader.failureAt(now, slowAfterInMs);
  const acknowledging = acks.failureAt(now, slowAfterInMs);
  const unreadSince = polling ? wall - now + (reader.lastReadAt ?? core.advancedAt) : Infinity;
  const isRunning = core.condition === "running";
  /** `isOpen`: whether the next attempt is under way. */
  const wait = (who: string, scores: number, failure: Failure | undefined, isOpen = false): Waiting[] => {
    if (failure === undefined) return [];
    const { reason, since, until } = failure;
    return [{ for: who, reason, scores, since: rfc3339(since), until: isOpen ? null : rfc3339(until) }];
  };
  const waiting = [
    ...wait("service", book.undelivered, polling, reader.isOpen),
    ...wait("service", book.count("decided"), acknowledging, acks.isOpen),
    ...sinkFailures(core, now).flatMap(({ scores, failure }) => wait(name, scores, failure)),
  ];
  const queue = (needs?: (id: string) => boolean) => queueOf(core, [wall, unreadSince], needs);
  const own = { sink: name, ...calls.counts, ...queue(), lastProblem: calls.lastProblem };
  const parts = partsOf(settings.sink, queue);
  const sinceInMs = now - core.advancedAt;
  const isStalled = isRunning && sinceInMs >= settings.stalledAfterInMs;
  const isPartDown = parts.some(({ isDown }) => isDown);
  const obstacle = isStalled ? obstacleOf(core, isPartDown, polling, acknowledging) : undefined;
  const why = waiting[0] ? `: ${waiting[0].reason}` : "";
  return {
    ...own,
    state: isRunning && calls.isPaused(now) ? "paused" : core.condition,
    sinks: parts.length > 0 ? parts.map(({ health }) => health) : [own],
    stalled: obstacle ? `${obstacle} for ${age(sinceInMs)}${why}` : null,
    waiting,
    serviceFailures: { polling: reader.failures, acknowledging: acks.failures },
    unacknowledged: book.count("decided"),
    deferred: book.count("deferred"),
    leased: reader.leased,
    lastDeliveredAt: core.lastDeliveredAt === undefined ? null : rfc3339(core.lastDeliveredAt),
    lastProblem: core.lastProblem,
    lastRefusal: core.lastRefusedForGood,
  };
}

/** How many scores wait, and the lag. `wall` and `unreadSince` are times of day. */
function queueOf(
  { book, reader }: ForwarderCore,
  [wall, unreadSince]: [wall: number, unreadSince: number],
  needs: (id: string) => boolean = () => true,
) {
  const waiting = [...book.all].filter(({ id }) => needs(id));
  const oldest = waiting.reduce((oldest, { at }) => Math.min(oldest, at), Infinity);
  const since = Math.min(waiting.length === 0 ? reader.beyondAt : oldest, unreadSince);
  const lagOfNone = reader.lastReadAt === undefined ? null : 0;
  const lagInMs = since === Infinity ? lagOfNone : Math.max(0, Math.round(wall - since));
  return { pending: waiting.length, lagInMs };
}

/** The destinations of a sink that combines several; none if its `parts` throws or returns something else. */
function partsOf(
  sink: Sink,
  queue: (needs: (id: string) => boolean) => Pick<SinkHealth, "pending" | "lagInMs">,
) {
  try {
    const parts = sink.parts?.() ?? [];
    return parts.map(({ name, isDown, needs, ...known }) => {
      return { isDown, health: { sink: name, ...known, ...queue(needs) } satisfies SinkHealth };
    });
  } catch {
    return [];
  }
}

/** For each reason, how many scores wait. While the sink is paused all do, including those that were never pushed. */
function sinkFailures({ book, calls }: ForwarderCore, now: number) {
  const byReason = new Map<string, { scores: number; failure: Failure }>();
  for (const { state, failure } of book.all) {
    if (failure === undefined || (state !== "deferred" && state !== "pushing")) continue;
    const known = byReason.get(failure.reason) ?? { scores: 0, failure: { ...failure } };
    known.scores += 1;
    known.failure.since = Math.min(known.failure.since, failure.since);
    known.failure.until = Math.min(known.failure.until, failure.until);
    byReason.set(failure.reason, known);
  }
  const { failure } = calls;
  if (failure && calls.isPaused(now)) byReason.set(failure.reason, { scores: book.undelivered, failure });
  return [...byReason.values()];
}

/** What keeps a stalled forwarder from delivering; `undefined` if it has nothing to deliver. */
function obstacleOf(
  { advancedAt, book, calls }: ForwarderCore,
  isPartDown: boolean,
  polling: Failure | undefined,
  acknowledging: Failure | undefined,
): string | undefined {
  const failed = [...book.all].filter(({ failure }) => failure && failure.since >= advancedAt).length;
  const isSink = isPartDown || calls.failure !== undefined || failed >= failuresOfSink;
  if (book.undelivered > 0 && isSink) return `${book.undelivered} waiting, none delivered`;
  if (acknowledging) return `${book.count("decided")} delivered, but not acknowledged`;
  return polling && "could not read the queue";
}

const age = (inMs: number) =>
  inMs < 120_000 ? `${Math.round(inMs / 1000)} s` : `${Math.round(inMs / 60_000)} min`;

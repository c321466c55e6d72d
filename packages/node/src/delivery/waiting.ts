import type { Backlog } from "./backlog.ts";
import type { Pacer } from "./pacer.ts";
import type { RowMemory } from "./row-memory.ts";
import type { ServiceContact } from "./service-contact.ts";

/** What the forwarder waits for, and why. */
export interface Waiting {
  /** Name of the sink, or `service`. */
  for: string;
  /** Without personal data, keys and request ids. */
  reason: string;
  /** Ratings that wait for it, of those that the last polls have listed. */
  rows: number;
  /** RFC 3339, when it began. */
  since: string;
  /** RFC 3339, the next attempt; `null` when that depends on something else. */
  until: string | null;
}

/** A reason that is the same whenever the cause is: without the ids of single requests. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/ [([]request (id )?[\w.-]+[)\]]/g, "");
}

interface WaitingSources {
  sink: string;
  service: ServiceContact;
  pacer: Pacer;
  memory: RowMemory;
  backlog: Backlog;
  unacknowledged: number;
  /** RFC 3339 of a moment of the monotonic clock. */
  timeOf: (moment: number) => string;
}

/** Everything that is waited for: the service first, then the sink as a whole, then single rows by their reason. */
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

function forSink({ sink, pacer, memory, backlog, timeOf }: WaitingSources): Waiting[] {
  const { pause } = pacer;
  const byReason = new Map<string, { rows: number; since: number; notBefore: number }>();
  for (const { reason, since, notBefore } of memory.waits) {
    const known = byReason.get(reason);
    if (known) {
      known.rows += 1;
      known.since = Math.min(known.since, since);
      known.notBefore = Math.min(known.notBefore, notBefore);
    } else byReason.set(reason, { rows: 1, since, notBefore });
  }
  // While the sink is left in peace all rows wait, also those that were never pushed.
  if (pause) byReason.set(pause.reason, { ...pause, rows: backlog.size });
  return [...byReason].map(([reason, { rows, since, notBefore }]) => ({
    for: sink,
    reason,
    rows,
    since: timeOf(since),
    until: timeOf(notBefore),
  }));
}

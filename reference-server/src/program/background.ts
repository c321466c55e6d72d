import { timestamp } from "../domain/ids-and-times.ts";
import { forgetExpiredTokens } from "../domain/forget-expired-tokens.ts";
import { type RetentionPolicy } from "../domain/retention.ts";
import { type Service } from "../domain/service.ts";
import { type ServerEvents } from "../operations/events.ts";
import { heldClock, heldClockAdvice, isSkewed, skewedClock } from "../operations/examine.ts";
import { checkedEveryMs, NightlyRetention } from "./nightly-retention.ts";

const secondInMs = 1000;

interface Task {
  everyMs: number;
  /** Ends early, between two transactions, when the signal is given: the server stops. */
  run: (service: Service, events: ServerEvents, stopping: AbortSignal) => Promise<unknown>;
}

/** Who used a key and when, in the database for `key list` and in the log for an audit. */
async function recordKeyUse({ directory }: Service, events: ServerEvents): Promise<void> {
  for (const [keyId, at] of await directory.flushKeyUse()) {
    events.emit({ kind: "key-use", keyId, lastUsedAt: timestamp(at) });
  }
}

/** What runs behind the requests, and how often. */
const tasks: Readonly<Record<string, Task>> = {
  // Revoked keys and changed surveys reach every node well within a minute (decision D26).
  "refresh the directory": { everyMs: 5 * secondInMs, run: ({ directory }) => directory.refresh() },
  "record the use of keys": { everyMs: 60 * secondInMs, run: recordKeyUse },
  "forget expired tokens": {
    everyMs: 600 * secondInMs,
    run: (service, _, stopping) => forgetExpiredTokens(service, stopping),
  },
};

/** Warns once when the clock holds up deletions or differs from the database's, and again when it happens again. */
function clockTask(): Task {
  const told = new Set<string>();
  const warnOf = (events: ServerEvents, name: string, isWrong: boolean, message: () => string) => {
    if (isWrong && !told.has(name)) events.emit({ kind: "warning", message: message() });
    if (isWrong) told.add(name);
    else told.delete(name);
  };
  return {
    everyMs: 60 * secondInMs,
    run: async ({ deletionClock }, events) => {
      const reading = await deletionClock.read();
      const held = () => `The clock is ${heldClock(reading)}. ${heldClockAdvice}`;
      warnOf(events, "held", reading.isHeld, held);
      const skewed = () => `The clock is ${skewedClock(reading)}. Synchronise the clocks (NTP).`;
      warnOf(events, "skewed", isSkewed(reading), skewed);
    },
  };
}

function nightlyTask(nightly: NightlyRetention): Task {
  return { everyMs: checkedEveryMs, run: (service, _, stopping) => nightly.run(service, stopping) };
}

export interface Background {
  /** Starts nothing any more, and ends what is under way after its transaction; resolves when all is over. */
  stop(): Promise<void>;
}

/** Starts the repeated tasks, each once at a time; one that fails is reported and tried again. */
export function startBackground(
  service: Service,
  events: ServerEvents,
  retention: RetentionPolicy | undefined,
): Background {
  const report = (task: string, error: unknown) => events.emit({ kind: "background-failure", task, error });
  service.store.onBackgroundFailure(report);
  service.directory.onChange = (changes) => {
    for (const change of changes) events.emit({ kind: "directory-change", ...change });
  };
  const running = new Map<string, Promise<unknown>>();
  const stopping = new AbortController();
  const nightly = retention && new NightlyRetention(retention, events);
  const all = {
    ...tasks,
    "look at the clock": clockTask(),
    ...(nightly && { "forget old data": nightlyTask(nightly) }),
  };
  const timers = Object.entries(all).map(([task, { everyMs, run }]) => {
    const timer = setInterval(() => {
      if (running.has(task)) return;
      const attempt = run(service, events, stopping.signal)
        .catch((error: unknown) => report(task, error))
        .finally(() => running.delete(task));
      running.set(task, attempt);
    }, everyMs);
    timer.unref();
    return timer;
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      stopping.abort();
      await Promise.all(running.values());
      await recordKeyUse(service, events).catch(() => undefined);
    },
  };
}

import { timestamp } from "../domain/clock.ts";
import { forgetExpiredTokens } from "../domain/forget-expired-tokens.ts";
import { type RetentionPolicy } from "../domain/retention.ts";
import { type Service } from "../domain/service.ts";
import { type ServerEvents } from "../operations/events.ts";
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
  const running = new Map<string, Promise<unknown>>();
  const stopping = new AbortController();
  const nightly = retention && new NightlyRetention(retention, events);
  const all = { ...tasks, ...(nightly && { "forget old data": nightlyTask(nightly) }) };
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

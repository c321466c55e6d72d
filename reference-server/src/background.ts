import { type Service } from "./domain/service.ts";
import { forgettableBefore, livingRunsInMs } from "./domain/show-token.ts";
import { type ServerEvents } from "./events.ts";
import { type Store } from "./store/store.ts";

/** Work that is done again and again; `everyInMs` from one beginning to the next. */
export interface Task {
  everyInMs: number;
  /** Whether it runs once more when the server stops. Default: no. */
  runsAtEnd?: boolean;
  /** Ends early, between two transactions, when the server stops. */
  run: (service: Service, events: ServerEvents, stopping: AbortSignal) => Promise<unknown>;
}

/** Keys, origins and surveys that a command has changed, and a master key that it has rotated, are used from then on. */
async function refresh({ directory, masterKeys }: Service, events: ServerEvents): Promise<void> {
  const [before] = masterKeys.records;
  if (await directory.refresh()) events.emit({ kind: "directory-change" });
  const masterKeyId = masterKeys.records[0]!.id;
  if (before?.id !== masterKeyId) events.emit({ kind: "master-key-change", masterKeyId });
}

const tokensPerTransaction = 2000;

/**
 * Forgets the tokens whose life has ended, in short transactions, so that requests are answered in between: after a long
 * standstill there may be millions of them.
 *
 * @param now milliseconds since 1970
 * @param signal ends it between two transactions; the next call goes on from there
 */
export async function cleanUpTokens(store: Store, now: number, signal?: AbortSignal): Promise<void> {
  const expired = { idsBefore: forgettableBefore(now), runsUsedBefore: now - livingRunsInMs };
  for (;;) {
    if (signal?.aborted) return;
    const forgotten = await store.forgetExpiredTokens(expired, tokensPerTransaction);
    if (forgotten < tokensPerTransaction) return;
  }
}

const tasks: Readonly<Record<string, Task>> = {
  // A node that is killed loses what it counted since.
  "store counts of runs": {
    everyInMs: 5000,
    runsAtEnd: true,
    run: ({ runCounts, store }) => runCounts.flush(store),
  },
  // Revoked keys and changed surveys reach every node well within a minute.
  "refresh the directory": { everyInMs: 5000, run: refresh },
  "delete expired tokens": {
    everyInMs: 600_000,
    run: ({ store, clock }, _, stopping) => cleanUpTokens(store, clock.now(), stopping),
  },
};

export interface Background {
  /** Starts no more tasks and ends running ones after their transaction; resolves when all have ended. */
  stop(): Promise<void>;
}

/**
 * Starts the background tasks. A task never overlaps itself; a failed one is reported and retried.
 *
 * @param others by their names, which reports and logs say; one with the name of a task replaces it
 */
export function startBackground(
  service: Service,
  events: ServerEvents,
  others: Readonly<Record<string, Task>> = {},
): Background {
  const running = new Map<string, Promise<unknown>>();
  const stopping = new AbortController();
  const all = Object.entries({ ...tasks, ...others });
  const attempt = (task: string, { run }: Task) =>
    run(service, events, stopping.signal)
      .catch((error: unknown) => events.emit({ kind: "background-failure", task, error }))
      .finally(() => running.delete(task));
  const timers = all.map(([name, task]) => {
    const begin = () => void (running.has(name) || running.set(name, attempt(name, task)));
    return setInterval(begin, task.everyInMs).unref();
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      stopping.abort();
      await Promise.all(running.values());
      for (const [name, task] of all) if (task.runsAtEnd) await attempt(name, task);
    },
  };
}

import { type Service } from "./domain/service.ts";
import { type ServerEvents } from "./events.ts";

const secondInMs = 1000;

/** What runs behind the requests, and how often. */
const tasks: Readonly<Record<string, { everyMs: number; run: (service: Service) => Promise<unknown> }>> = {
  // Revoked keys and changed surveys reach every node well within a minute (decision D26).
  "refresh the directory": { everyMs: 5 * secondInMs, run: ({ directory }) => directory.refresh() },
  "record the use of keys": { everyMs: 60 * secondInMs, run: ({ directory }) => directory.flushKeyUse() },
  "forget expired tokens": {
    everyMs: 600 * secondInMs,
    run: ({ store, clock }) => store.forgetExpiredTokens(clock.now()),
  },
};

export interface Background {
  stop(): Promise<void>;
}

/** Starts the repeated tasks; one that fails is reported and tried again. */
export function startBackground(service: Service, events: ServerEvents): Background {
  const running = new Set<Promise<unknown>>();
  const timers = Object.entries(tasks).map(([task, { everyMs, run }]) => {
    const timer = setInterval(() => {
      const attempt = run(service).catch((error: unknown) => {
        events.emit({ kind: "background-failure", task, error });
      });
      running.add(attempt);
      void attempt.finally(() => running.delete(attempt));
    }, everyMs);
    timer.unref();
    return timer;
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}

import { monotonicNow, type Clock } from "../domain/clock.ts";

/** More frequent scrapes get the same values. */
const freshForMs = 5000;
/** A scrape must end before Prometheus gives up, by default after 10 seconds. */
const patienceInMs = 3000;

async function within<T>(limitInMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The database is too slow.")), limitInMs);
    timer.unref();
  });
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}

/** Caches what is asked for a few seconds, for all metrics that need it; waits at most three seconds for it. */
export function remembered<T>(clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = -Infinity;
  return () => {
    const now = monotonicNow(clock);
    if (answer && now - askedAt < freshForMs) return answer;
    askedAt = now;
    answer = within(patienceInMs, ask());
    answer.catch(() => (answer = undefined));
    return answer;
  };
}

import type { PostPath } from "@afterword/protocol";
import type { Context } from "../context/index.ts";
import type { Page, Reply } from "../page/index.ts";

// Limit of all keepalive bodies together (64 KiB by the Fetch standard), here without their keys.
const mostKeptAliveInBytes = 65_000;

/** What an answer can do without, in the order in which it is left out. */
const dispensable = ["traits", "text"];

/**
 * Returns a function that sends requests which outlive the page, as far as the browser allows; it returns whether this one
 * does, and its reply. `mustLast`: the page may end now, and no later one sends it: a body that is too large leaves out the
 * traits, and then the text.
 */
export function createKeepalivePost({ page, post }: Pick<Context, "page" | "post">) {
  let keptAliveInBytes = 0;
  const sizeOf = (body: object) => new page.Blob([JSON.stringify(body)]).size;
  const fits = (body: object) => keptAliveInBytes + sizeOf(body) <= mostKeptAliveInBytes;
  return (path: PostPath, body: object, mustLast?: boolean) => {
    for (const name of dispensable) if (mustLast && !fits(body)) body = { ...body, [name]: undefined };
    const outlivesPage = fits(body);
    // In an app without a page, bodies have the size 0, and no request is kept alive.
    const size = outlivesPage ? sizeOf(body) : 0;
    keptAliveInBytes += size;
    const release = (reply: Reply) => {
      keptAliveInBytes -= size;
      return reply;
    };
    return [outlivesPage, post(path, body, !!size).then(release)] as const;
  };
}

const mostRetries = 5;
/** Doubled at each retry, so half a minute at most. */
const firstDelayInMs = 2000;
/** A longer timeout would overflow after 24 days; no entry waits longer than this. */
const longestDelayInMs = 7 * 24 * 3_600_000;

/** One timer for all entries of the outbox, set to the earliest; draining sets it again for later ones. */
export function createRetryTimer(page: Page, drain: () => void) {
  /** Consecutive automatic retries. */
  let retries = 0;
  let timer: number | undefined;
  /** Time of the next automatic drain in milliseconds since 1970. */
  let drainAt = Infinity;
  const drainIn = (delayInMs: number) => {
    delayInMs = Math.min(delayInMs, longestDelayInMs);
    const at = page.Date.now() + delayInMs;
    if (at >= drainAt) return;
    page.clearTimeout(timer);
    drainAt = at;
    timer = page.setTimeout(() => {
      retries++;
      drain();
    }, delayInMs);
  };
  return {
    drainIn,
    /** Plans a retry. After five in a row, only `online`, a visibility change or a reload retries. */
    retryIn(leastDelayInMs: number) {
      const limitInMs = firstDelayInMs * 2 ** retries;
      if (retries < mostRetries) drainIn(Math.max(leastDelayInMs, page.Math.random() * limitInMs));
    },
    /** Whether no retry has happened or is planned. */
    isUnused: () => !retries && drainAt === Infinity,
    /** Call when the service answers, or the network or the person is back. */
    restart: () => void (retries = 0),
    clear() {
      page.clearTimeout(timer);
      drainAt = Infinity;
    },
  };
}

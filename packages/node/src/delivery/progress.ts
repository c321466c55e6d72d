import type { Delivery } from "./delivery.ts";

type ProgressSources = Pick<Delivery, "clock" | "backlog" | "service" | "stalledAfterInMs">;

/** Notices when ratings wait and none is delivered, and when the loop takes no step. All times are monotonic. */
export class Progress {
  readonly #sources: ProgressSources;
  /** When a row was last decided, or a walk began while none was known to wait. */
  #advancedAt = 0;
  /** When a page or an outcome last arrived, or polling last failed. */
  #steppedAt = 0;
  #unread = false;

  constructor(sources: ProgressSources) {
    this.#sources = sources;
  }

  /** A run begins, or the sink has decided about a row. */
  advanced(): void {
    this.#advancedAt = this.#sources.clock.now();
    this.#steppedAt = this.#advancedAt;
  }

  /** The head of the queue has arrived. Called before the backlog lists it: rows that are new have not waited yet. */
  walkBegins(): void {
    if (this.#sources.backlog.size === 0) this.advanced();
    this.#unread = false;
  }

  /** The loop works, whatever came of it. */
  stepped(): void {
    this.#steppedAt = this.#sources.clock.now();
  }

  /** The queue could not be read, so unknown rows may wait. */
  pollFailed(): void {
    this.#unread = true;
    this.stepped();
  }

  /** Why a running forwarder counts as stalled; `null` if it does not. `cause` is the last known problem. */
  stalled(cause: string | null): string | null {
    const { backlog, clock, service, stalledAfterInMs } = this.#sources;
    const now = clock.now();
    const reason = (what: string, since: number) =>
      `${what} for ${age(now - since)}${cause === null ? "" : `: ${cause}`}`;
    if (now - this.#advancedAt >= stalledAfterInMs) {
      if (backlog.size > 0) return reason(`${backlog.size} waiting, none delivered`, this.#advancedAt);
      if (this.#unread) return reason("could not read the queue", this.#advancedAt);
    }
    // The next poll may be planned for later than the limit.
    const isStuck = now - Math.max(this.#steppedAt, service.nextPollAt) >= stalledAfterInMs;
    return isStuck ? reason("the forwarder has done nothing", this.#steppedAt) : null;
  }
}

const age = (inMs: number) =>
  inMs < 120_000 ? `${Math.round(inMs / 1000)} s` : `${Math.round(inMs / 60_000)} min`;

import { dayOf, type RunCount, type Store } from "../store/store.ts";
import { type Clock } from "./clock.ts";

/** Runs, tokens and people that are recognised when they come again; the oldest are forgotten first. */
const mostRecognised = 100_000;
/** Different counts that wait to be stored; while the database is away, others are not counted. */
const mostWaiting = 10_000;

type Counted = Pick<RunCount, "projectId" | "surveyId" | "kind"> &
  Partial<Pick<RunCount, "version" | "stratum" | "reason">>;

/**
 * Counts what becomes of runs and tokens on this node, in memory until `flush` stores it. Recognises them by keyed hashes
 * or a token's id, so that each counts once here; other nodes, and this one after a restart, do not know what it has seen.
 */
export class RunCounts {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, RunCount>();
  #storing: Promise<void> | undefined;
  readonly #recognised = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it has not come before, among the last 100,000. */
  isNew(hash: string): boolean {
    if (this.#recognised.has(hash)) return false;
    // A set keeps the order in which its members came.
    const [oldest] = this.#recognised;
    if (oldest !== undefined && this.#recognised.size >= mostRecognised) this.#recognised.delete(oldest);
    this.#recognised.add(hash);
    return true;
  }

  /** Adds one to a count of this day. */
  count({ version = "", stratum = "", reason = "", ...counted }: Counted): void {
    this.#add({ ...counted, day: dayOf(this.#clock.now()), version, stratum, reason, count: 1 });
  }

  #add(added: RunCount): void {
    const { projectId, surveyId, day, version, stratum, kind, reason } = added;
    const key = JSON.stringify([projectId, surveyId, day, version, stratum, kind, reason]);
    const known = this.#waiting.get(key);
    if (known) known.count += added.count;
    else if (this.#waiting.size < mostWaiting) this.#waiting.set(key, added);
  }

  /**
   * Drops what is not stored yet of a project, or of some of its surveys, because they are purged. Waits for what is being stored,
   * which the purge deletes then.
   */
  async forget(projectId: string, surveyIds?: readonly string[]): Promise<void> {
    await this.#storing?.catch(() => undefined);
    for (const [key, count] of this.#waiting)
      if (count.projectId === projectId && (surveyIds?.includes(count.surveyId) ?? true))
        this.#waiting.delete(key);
  }

  /** Stores what was counted. If that fails, it stays for the next time. */
  flush(store: Pick<Store, "addRunCounts">): Promise<void> {
    return (this.#storing ??= this.#store(store).finally(() => (this.#storing = undefined)));
  }

  async #store(store: Pick<Store, "addRunCounts">): Promise<void> {
    const counts = [...this.#waiting.values()];
    if (counts.length === 0) return;
    this.#waiting.clear();
    await store.addRunCounts(counts).catch((error: unknown) => {
      for (const count of counts) this.#add(count);
      throw error;
    });
  }
}

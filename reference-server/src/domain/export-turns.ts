import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { StoreUnavailable } from "../store/store.ts";
import { UsageError } from "./usage-error.ts";

/** Exports of a project that are open at once: of the project or a survey, and of single persons. */
const mostOpen = { whole: 4, person: 16 };

/** How long a client may read an export while another one wants its place (decision D42). */
const undisturbedInMs = 10 * 60_000;

/** Lets a client that hangs up at once be noticed before the database is read: under load that takes several turns. */
async function systemLinger(): Promise<void> {
  await delay(25);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

export interface ExportTurn {
  /** The database has been read: the next export of the project may begin. */
  end(): void;
  /** The export is over: another one may be opened. */
  leave(): void;
  /** Aborted when another export needs the place of this one, whose client has read for ten minutes and more. */
  readonly cut: AbortSignal;
}

/** An open export. */
interface Place {
  /** When the database had been read, and only the client's reading was left, by a monotonic clock. */
  readAt?: number;
  cut: AbortController;
}

/** Rejects when the caller has gone away; a command that is interrupted gives its own reason. */
function untilGone(signal: AbortSignal): Promise<never> {
  const gone = () =>
    signal.reason instanceof UsageError
      ? signal.reason
      : new StoreUnavailable("the client has disconnected", { cause: signal.reason });
  return new Promise((_, reject) => {
    if (signal.aborted) reject(gone());
    else signal.addEventListener("abort", () => reject(gone()), { once: true });
  });
}

/**
 * Lets one export per project read the database at a time; a person's does not wait for it (decision D42). Bounds how
 * many are open on this node. Between nodes the store takes turns.
 */
export class ExportTurns {
  readonly #last = new Map<string, Promise<void>>();
  readonly #open = new Map<string, Set<Place>>();
  readonly #linger: () => Promise<void>;
  readonly #stopwatch: () => number;

  /**
   * @param linger what an export waits for before it begins. Default: some turns of the event loop.
   * @param stopwatch milliseconds of a monotonic clock
   */
  constructor(linger = systemLinger, stopwatch = () => performance.now()) {
    this.#linger = linger;
    this.#stopwatch = stopwatch;
  }

  /**
   * Resolves when it is this caller's turn. Both functions of a turn may be called twice.
   * @throws StoreUnavailable when as many exports are open as may be, or the caller has gone away
   */
  async take(projectId: string, isOfPerson: boolean, signal: AbortSignal): Promise<ExportTurn> {
    const { place, leave } = this.#enter(projectId, isOfPerson ? "person" : "whole");
    const cut = place.cut.signal;
    const read = () => void (place.readAt ??= this.#stopwatch());
    if (isOfPerson) return { end: read, leave, cut };
    const before = this.#last.get(projectId);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(projectId, promise);
    const end = () => {
      read();
      resolve();
      if (this.#last.get(projectId) === promise) this.#last.delete(projectId);
    };
    try {
      await Promise.race([untilGone(signal), Promise.all([before, this.#linger()])]);
      return { end, leave, cut };
    } catch (error) {
      void Promise.resolve(before).then(end);
      leave();
      throw error;
    }
  }

  #enter(projectId: string, kind: keyof typeof mostOpen): { place: Place; leave: () => void } {
    const name = `${kind} ${projectId}`;
    const open = this.#open.get(name) ?? new Set();
    if (open.size >= mostOpen[kind]) this.#cutSlowest(open);
    const place: Place = { cut: new AbortController() };
    this.#open.set(name, open.add(place));
    const leave = () => {
      open.delete(place);
      if (open.size === 0 && this.#open.get(name) === open) this.#open.delete(name);
    };
    return { place, leave };
  }

  /** @throws StoreUnavailable while no client has had its time */
  #cutSlowest(open: Set<Place>): void {
    const [slowest] = [...open].toSorted(
      (one, other) => (one.readAt ?? Infinity) - (other.readAt ?? Infinity),
    );
    const { readAt = Infinity } = slowest!;
    if (this.#stopwatch() - readAt < undisturbedInMs) throw new StoreUnavailable("too many exports are open");
    open.delete(slowest!);
    slowest!.cut.abort(new Error("Another export needs the place of this one."));
  }
}

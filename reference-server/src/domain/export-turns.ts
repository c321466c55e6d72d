import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { StoreUnavailable } from "../store/store.ts";
import { UsageError } from "./usage-error.ts";

/** Exports of a project that are open at once: of the project or a survey, and of single persons. */
const mostOpen = { whole: 4, person: 16 };

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
}

/** Rejects when the caller has gone away; a command that is interrupted gives its own reason. */
function untilGone(signal: AbortSignal): Promise<never> {
  const gone = () =>
    UsageError.isInstance(signal.reason)
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
  readonly #open = new Map<string, number>();
  readonly #linger: () => Promise<void>;

  /** @param linger what an export waits for before it begins. Default: some turns of the event loop. */
  constructor(linger = systemLinger) {
    this.#linger = linger;
  }

  /**
   * Resolves when it is this caller's turn. Both functions of a turn may be called twice.
   * @throws StoreUnavailable when as many exports are open as may be, or the caller has gone away
   */
  async take(projectId: string, isOfPerson: boolean, signal: AbortSignal): Promise<ExportTurn> {
    const leave = this.#enter(projectId, isOfPerson ? "person" : "whole");
    if (isOfPerson) return { end: () => undefined, leave };
    const before = this.#last.get(projectId);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(projectId, promise);
    const end = () => {
      resolve();
      if (this.#last.get(projectId) === promise) this.#last.delete(projectId);
    };
    try {
      await Promise.race([untilGone(signal), Promise.all([before, this.#linger()])]);
      return { end, leave };
    } catch (error) {
      void Promise.resolve(before).then(end);
      leave();
      throw error;
    }
  }

  #enter(projectId: string, kind: keyof typeof mostOpen): () => void {
    const name = `${kind} ${projectId}`;
    const open = this.#open.get(name) ?? 0;
    if (open >= mostOpen[kind]) throw new StoreUnavailable("too many exports are open");
    this.#open.set(name, open + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = this.#open.get(name)! - 1;
      if (left === 0) this.#open.delete(name);
      else this.#open.set(name, left);
    };
  }
}

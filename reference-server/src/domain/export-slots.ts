import { StoreUnavailable } from "../store/store.ts";

/** Exports of a project that are open at once on this node: of the project or a survey, and of single persons. */
const mostOpen = { whole: 4, person: 16 };

/** Bounds how many exports are open. Each takes a connection while it is read, and disk space until its client has it. */
export class ExportSlots {
  readonly #open = new Map<string, Set<symbol>>();

  /** Returns a function that gives the slot back. @throws StoreUnavailable while as many are open as may be */
  take(projectId: string, kind: keyof typeof mostOpen): () => void {
    const name = `${kind} ${projectId}`;
    const open = this.#open.get(name) ?? new Set();
    if (open.size >= mostOpen[kind]) throw new StoreUnavailable("too many exports are open");
    const slot = Symbol(name);
    this.#open.set(name, open.add(slot));
    return () => void open.delete(slot);
  }
}

import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import {
  type EraseCounts,
  type EraseSelection,
  type OpenSqlite,
  type ProjectPurge,
  type Store,
  withStoreErrors,
} from "@afterword/reference-server/internal";

type Erased = EraseSelection | ProjectPurge;

export interface ErasingOrder {
  path: string;
  erased: Erased;
}

/** The build puts it beside the program; absent when run from source. */
const workerFile = new URL("erasing-worker.js", import.meta.url);

/**
 * Whether an erasure may block the process for long: those of whole surveys and projects. False when the worker's file was
 * not built.
 */
function needsThread(erased: Erased): boolean {
  return !("respondents" in erased && erased.respondents) && existsSync(workerFile);
}

/** Erases by a connection of its own in a thread of its own, in one transaction. @throws an error with SQLite's code */
function eraseInThread(order: ErasingOrder): Promise<EraseCounts> {
  return new Promise((resolve, reject) => {
    // None of the program's flags: it would load what they `--import` a second time, and not start with `--input-type`.
    const worker = new Worker(workerFile, { workerData: order, execArgv: [] });
    worker.once("message", resolve);
    worker.once("error", reject);
    // Does nothing after either of the others.
    worker.once("exit", () => reject(new Error("The thread of an erasure ended before it was done.")));
  });
}

/** Runs erasures one at a time: small ones on the store's connection, large ones in a worker thread. */
export class Erasures {
  readonly #opened: OpenSqlite;
  readonly #eraseHere: Store["erase"];
  #last: Promise<unknown> = Promise.resolve();

  constructor(opened: OpenSqlite) {
    this.#opened = opened;
    this.#eraseHere = opened.store.erase;
  }

  async run(erased: Erased): Promise<EraseCounts> {
    if (!needsThread(erased)) return this.#last.then(() => this.#eraseHere(erased));
    const { path, check, truncation } = this.#opened;
    const erasing = this.#last.then(() =>
      withStoreErrors(() => {
        check();
        return eraseInThread({ path, erased });
      }),
    );
    this.#last = erasing.catch(() => undefined);
    const counts = await erasing;
    await truncation.run();
    return counts;
  }

  /** Resolves when no thread is running any more. */
  async drain(): Promise<void> {
    for (let last; last !== this.#last; await last) last = this.#last;
  }
}

import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import {
  type EraseCounts,
  type EraseSelection,
  type OpenSqlite,
  type ProjectPurge,
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

/**
 * Runs erasures one at a time: small ones on the store's connection, large ones in a worker thread. `drain` resolves when no
 * thread is running any more.
 */
export function erasuresOf({ store, path, check, truncation }: OpenSqlite) {
  const eraseHere = store.erase;
  let last: Promise<unknown> = Promise.resolve();
  return {
    async run(erased: Erased): Promise<EraseCounts> {
      if (!needsThread(erased)) return last.then(() => eraseHere(erased));
      const erasing = last.then(() =>
        withStoreErrors(() => {
          check();
          return eraseInThread({ path, erased });
        }),
      );
      last = erasing.catch(() => undefined);
      const counts = await erasing;
      await truncation.run();
      return counts;
    },
    async drain(): Promise<void> {
      for (let drained; drained !== last; await drained) drained = last;
    },
  };
}

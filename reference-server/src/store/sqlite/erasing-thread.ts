import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { type EraseCounts } from "../store.ts";
import { type Access } from "./connection.ts";
import { runErasure, type Erasure } from "./erasure.ts";
import { withStoreErrors } from "./sqlite-error.ts";

export interface ErasingOrder {
  path: string;
  erasure: Erasure;
}

export type ErasingOutcome = { counts: EraseCounts } | { failure: { message: string; code?: string } };

const isSource = import.meta.url.endsWith(".ts");
const workerFile = new URL(isSource ? "erasing-worker.ts" : "erasing-worker.js", import.meta.url);

/**
 * Whether an erasure may have so many rows that the process would answer nothing else for long: those of whole surveys and
 * projects. Never where this was bundled without the thread's file.
 */
function needsThread(erasure: Erasure): boolean {
  return !("selection" in erasure && erasure.selection.respondents) && existsSync(workerFile);
}

/** Erases by a connection of its own in a thread of its own, in one transaction. @throws an error with SQLite's code */
function eraseInThread(order: ErasingOrder): Promise<EraseCounts> {
  return new Promise((resolve, reject) => {
    // None of the program's flags: it would load what they `--import` a second time, and not start with `--input-type`.
    const worker = new Worker(workerFile, { workerData: order, execArgv: [] });
    worker.once("message", (outcome: ErasingOutcome) => {
      if ("counts" in outcome) return resolve(outcome.counts);
      const { message, code } = outcome.failure;
      reject(Object.assign(new Error(message), { code }));
    });
    worker.once("error", reject);
    // Does nothing after either of the others.
    worker.once("exit", () => reject(new Error("The thread of an erasure ended before it was done.")));
  });
}

/** Runs erasures one after the other: small ones as any other write, and large ones in a thread. */
export class Erasures {
  readonly #access: Access;
  readonly #path: string;
  readonly #check: () => void;
  #last: Promise<unknown> = Promise.resolve();

  /** @param check throws before a write that would be lost */
  constructor(access: Access, path: string, check: () => void) {
    this.#access = access;
    this.#path = path;
    this.#check = check;
  }

  run(erasure: Erasure): Promise<EraseCounts> {
    const { connection, write } = this.#access;
    if (!needsThread(erasure)) return this.#last.then(() => write(() => runErasure(connection, erasure)));
    const erased = this.#last.then(() =>
      withStoreErrors(() => {
        this.#check();
        return eraseInThread({ path: this.#path, erasure });
      }),
    );
    this.#last = erased.catch(() => undefined);
    return erased;
  }

  /** Resolves when no thread is running any more. */
  async drain(): Promise<void> {
    for (let last; last !== this.#last; await last) last = this.#last;
  }
}

import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { type Queries } from "../queries/query-runner.ts";
import { type EraseCounts } from "../store.ts";
import { type Erasure } from "./erasure.ts";

export interface ErasingOrder {
  path: string;
  erasure: Erasure;
}

export type ErasingOutcome = { counts: EraseCounts } | { failure: { message: string; code?: string } };

/** Up to here an erasure takes some tens of milliseconds, and a thread about as long to start. */
const mostErasedHere = 1000;

/** Those that may have many rows of a project: each can have some when the others have none left. */
const erasedTables = ["responses", "dismissals", "suppression", "asks", "runs", "spentTokens"] as const;

const isSource = import.meta.url.endsWith(".ts");
const workerFile = new URL(isSource ? "erasing-worker.ts" : "erasing-worker.js", import.meta.url);

/**
 * Whether an erasure would keep the process from everything else for long: one of a whole survey or project that has
 * many rows. Never where this was bundled without the thread's file.
 */
export async function deservesThread(queries: Queries, erasure: Erasure): Promise<boolean> {
  const { projectId, respondents } =
    "selection" in erasure ? erasure.selection : { ...erasure.purge, respondents: undefined };
  if (respondents) return false;
  for (const table of erasedTables) {
    const rows = queries.selectFrom(table).select("projectId").where("projectId", "=", projectId);
    const beyond = await rows.limit(1).offset(mostErasedHere).executeTakeFirst();
    if (beyond) return existsSync(workerFile);
  }
  return false;
}

/** Erases by a connection of its own in a thread of its own, in one transaction. @throws an error with SQLite's code */
export function eraseInThread(order: ErasingOrder): Promise<EraseCounts> {
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

import { parentPort, workerData } from "node:worker_threads";
import { type EraseCounts } from "../store.ts";
import { openConnection, type Connection } from "./connection.ts";
import { runErasure } from "./erasure.ts";
import { type ErasingOrder, type ErasingOutcome } from "./erasing-thread.ts";

// Runs in a thread of its own and ends after one erasure.

/** How long another process may be writing before the erasure begins. */
const patienceInMs = 5000;

function run(connection: Connection, { erasure }: ErasingOrder): EraseCounts {
  connection.pragma(`busy_timeout = ${patienceInMs}`);
  const counts = connection.transaction(() => runErasure(connection, erasure)).immediate();
  // A log of this size takes its time too. Whom it waits for is the caller's matter, who tries again.
  connection.pragma("busy_timeout = 10");
  connection.pragma("wal_checkpoint(TRUNCATE)");
  return counts;
}

function outcomeOf(order: ErasingOrder): ErasingOutcome {
  let connection: Connection | undefined;
  try {
    connection = openConnection(order.path, "none");
    return { counts: run(connection, order) };
  } catch (error) {
    // A copy of an error in another thread would lose its code.
    const { message, code } = error as Error & { code?: string };
    return { failure: { message, code } };
  } finally {
    connection?.close();
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of Node has no origins
parentPort!.postMessage(outcomeOf(workerData as ErasingOrder));

import { parentPort, workerData } from "node:worker_threads";
import {
  type Connection,
  erase,
  type EraseCounts,
  openConnection,
  truncateLog,
} from "@afterword/reference-server/internal";
import { type ErasingOrder, type ErasingOutcome } from "./erasing-thread.ts";

// Runs in a thread of its own and ends after one erasure.

const patienceInMs = 5000;

function run(connection: Connection, { erased }: ErasingOrder): EraseCounts {
  // This thread may block.
  connection.pragma(`busy_timeout = ${patienceInMs}`);
  const counts = connection.transaction(() => erase(connection, erased)).immediate();
  // A checkpoint that waits for readers keeps all writers out meanwhile; the caller tries again.
  connection.pragma("busy_timeout = 0");
  takeOffDisk(connection);
  return counts;
}

/** A log of this size takes its time too. What fails is tried again by the caller: the erasure is committed. */
function takeOffDisk(connection: Connection): void {
  try {
    truncateLog(connection);
  } catch {
    // A full disk, for one, which the caller has a reserve for.
  }
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

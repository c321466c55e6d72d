import { parentPort, workerData } from "node:worker_threads";
import { erase, type EraseCounts, openConnection, truncateLog } from "@afterword/reference-server/internal";
import { type ErasingOrder } from "./erasing-thread.ts";

// Runs in a thread of its own and ends after one erasure. An error ends it too, and reaches the caller with SQLite's code.

const patienceInMs = 5000;

function run({ path, erased }: ErasingOrder): EraseCounts {
  const connection = openConnection(path, "none");
  try {
    // This thread may block.
    connection.pragma(`busy_timeout = ${patienceInMs}`);
    const counts = connection.transaction(() => erase(connection, erased)).immediate();
    // A checkpoint that waits for readers keeps all writers out meanwhile.
    connection.pragma("busy_timeout = 0");
    try {
      // A log of this size takes its time too.
      truncateLog(connection);
    } catch {
      // The erasure is committed. The caller tries again, and has a reserve for a full disk.
    }
    return counts;
  } finally {
    connection.close();
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of Node has no origins
parentPort!.postMessage(run(workerData as ErasingOrder));

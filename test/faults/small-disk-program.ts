import { randomUUID } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openStore, startServer, type RunningServer, type ServerConfig } from "@afterword/server";
// Its types alone: what is built has no such entry point.
import type { OperatedStore } from "@afterword/server/internal";

// A server whose folder is a disk of its own, as small as its parent has made it; runs in a mount namespace. Its parent
// tells it when the disk is full, and when there is room again.

export type DiskOrder =
  | { kind: "start"; config: ServerConfig; withLogs?: boolean }
  | { kind: "fill" | "free" | "log-size" | "stop" }
  | { kind: "import"; surveyId: string; people: string[]; text?: string }
  | { kind: "find"; text: string };
export type DiskReport = { url?: string; found?: string[]; logSize?: number; failure?: string };

const folder = process.argv[2]!;
const database = join(folder, "afterword.db");
const ballast = join(folder, "ballast");
let server: RunningServer | undefined;

/** Writes until nothing fits any more, not even one byte. */
function fill(): void {
  const file = openSync(ballast, "a");
  for (let size = 65_536; size >= 1; size = size > 1 ? Math.floor(size / 8) : 0) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  closeSync(file);
}

/** Adds one answer of each person, as another process on the same database. */
async function importAnswers({ surveyId, people, text }: Extract<DiskOrder, { kind: "import" }>) {
  const at = Date.now();
  const answer = { at, projectId: "p", surveyId, surveyVersion: 1, rating: 3, text };
  const store = (await openStore(database, "none")) as OperatedStore;
  await store.administration.importResponses(
    people.map((respondentId) => ({ ...answer, id: randomUUID(), respondentId })),
  );
  await store.close();
}

async function obey(order: DiskOrder): Promise<DiskReport> {
  if (order.kind === "start") {
    const logs = { erasureLog: join(folder, "erasures.jsonl"), auditFile: join(folder, "audit.jsonl") };
    server = await startServer({ config: order.config, database, ...(order.withLogs && logs) });
    return { url: server.url };
  }
  if (order.kind === "find") {
    return {
      found: readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(order.text)),
    };
  }
  if (order.kind === "log-size") return { logSize: statSync(`${database}-wal`).size };
  if (order.kind === "import") await importAnswers(order);
  if (order.kind === "fill") fill();
  if (order.kind === "free") rmSync(ballast);
  if (order.kind === "stop") await server?.close();
  return {};
}

process.on("message", (order: DiskOrder) => {
  void obey(order)
    .catch((error: Error): DiskReport => ({ failure: error.stack ?? error.message }))
    .then((report) => process.send?.(report));
});
process.on("disconnect", () => process.exit());

import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startServer } from "@afterword/server";
import { openStore, type OperatedStore as Store } from "@afterword/server/internal";
import { afterAll, describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { isFullProof, proofScale } from "./proof-scale.ts";
import { startServerCommand } from "./server-command.ts";

// A server that commits all the time must not keep a backup from its end: each commit used to make it begin again.

const mebibyte = 1024 * 1024;
const megabytes = proofScale({ quick: 60, full: 1000 });
const folder = mkdtempSync(join(tmpdir(), "afterword-backup-load-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Adds answers of 10 kB each. */
async function fill(store: Store): Promise<void> {
  const text = "x".repeat(10_000);
  const answer = () => ({
    id: randomUUID(),
    at: 0,
    projectId: "p",
    surveyId: "p-nps",
    surveyVersion: 1,
    text,
  });
  for (let added = 0; added < megabytes * 100; added += 1000) {
    const rows = Array.from({ length: 1000 }, () => ({ ...answer(), respondentId: "imp_x", rating: 5 }));
    await store.administration.importResponses(rows);
  }
}

/** Submits one answer after the other; the returned function ends that, and tells how many were acknowledged. */
function keepAnswering(url: string): () => Promise<number> {
  const client = new ApiClient(url, keysOf("p"));
  const over = new AbortController();
  const answering = (async () => {
    let answers = 0;
    while (!over.signal.aborted) {
      const showToken = (await client.mint({ respondentId: randomUUID() })).json.tokens["p-nps"];
      const { status } = await client.submit({ showToken, surveyId: "p-nps", rating: 7 });
      if (status === 201) answers++;
    }
    return answers;
  })();
  return () => {
    over.abort();
    return answering;
  };
}

/** Everything that a process has handed to the system for writing; the last reading before its end. */
async function bytesWritten(processId: number, isOver: () => boolean): Promise<number> {
  let bytes = 0;
  while (!isOver()) {
    try {
      bytes = Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${processId}/io`, "utf8"))?.[1]);
    } catch {
      // It has just ended.
    }
    await pause(5);
  }
  return bytes;
}

describe("a backup beside a server that commits all the time", () => {
  it(
    `ends after writing about the ${megabytes} MB of the database, and is whole`,
    { timeout: 600_000 },
    async () => {
      const database = join(folder, "afterword.db");
      await using server = await startServer({
        database,
        config: { rateLimits: false, projects: [project("p")] },
      });
      await using closing = new AsyncDisposableStack();
      const store = closing.adopt(await openStore(database, "none"), (opened) => opened.close());
      await fill(store);
      const stop = keepAnswering(server.url);
      const startedAt = performance.now();
      const copy = join(folder, "copy.db");
      const { child, ended } = await startServerCommand(["backup", copy, "--db", database]);
      child.stdout.resume();
      let isOver = false;
      const watched = bytesWritten(child.pid!, () => isOver);
      const { code, error } = await ended;
      isOver = true;
      const [written, answers] = [await watched, await stop()];
      const seconds = (performance.now() - startedAt) / 1000;
      expect([code, error]).toEqual([0, expect.stringContaining("keeps what is erased later")]);
      const { size } = statSync(copy);
      const figures = `${(size / mebibyte).toFixed(0)} MiB copied in ${seconds.toFixed(1)} s beside ${answers} answers`;
      if (isFullProof) console.log(`${figures}: ${(written / mebibyte).toFixed(0)} MiB written`);
      expect(answers).toBeGreaterThan(10);
      expect(written).toBeGreaterThan(0.9 * size);
      expect(written).toBeLessThan(1.1 * size + 10 * mebibyte);
      const inCopy = closing.adopt(await openStore(copy, "none"), (opened) => opened.close());
      await using snapshot = await inCopy.openExport({ projectId: "p" });
      expect(snapshot.count).toBeGreaterThanOrEqual(megabytes * 100);
    },
  );
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { addProject, response } from "../conformance/store-world.ts";

const people = 3000;

it.each(["reference-server", "packages/server"])(
  "%s, as built, erases many rows in a thread, answers others meanwhile, and lets writes wait",
  async (built) => {
    const index = new URL(`../../${built}/dist/index.js`, import.meta.url).href;
    const { openStore } = (await import(index)) as typeof import("@afterword/server");
    const folder = mkdtempSync(join(tmpdir(), "afterword-built-"));
    const store = await openStore(join(folder, "a.db"));
    onTestFinished(async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    });
    const projectId = await addProject(store);
    await Promise.all(
      Array.from({ length: people }, () => store.submit(response(projectId, { sessionId: "run" }))),
    );
    let threads = 0;
    const count = () => (threads += 1);
    process.on("worker", count);
    onTestFinished(() => void process.off("worker", count));
    const page = { projectId, after: 0, includeFailed: false, limit: 10 };
    const seen = { isErased: false, pages: 0 };
    const erased = store.erase({ projectId, surveyIds: ["survey-1"] }).finally(() => (seen.isErased = true));
    const other = store.submit(response(projectId, { surveyId: "another", sessionId: "run" }));
    while (!seen.isErased) {
      if ((await store.pendingScores(page)).length === page.limit) seen.pages += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await erased).responsesDeleted).toBe(people);
    expect(threads).toBe(1);
    // Nobody sees anything of a transaction that is not committed.
    expect(seen.pages).toBeGreaterThan(10);
    expect(await other).toEqual({ outcome: "stored" });
    expect((await store.pendingScores(page)).map(({ surveyId }) => surveyId)).toEqual(["another"]);
  },
);

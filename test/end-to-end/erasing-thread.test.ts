import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { addProject, response } from "../conformance/store-world.ts";

it.each(["reference-server", "packages/server"])(
  "%s, as built, erases many rows in a thread",
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
    await Promise.all(Array.from({ length: 1001 }, () => store.submit(response(projectId))));
    let threads = 0;
    const count = () => (threads += 1);
    process.on("worker", count);
    onTestFinished(() => void process.off("worker", count));
    expect((await store.erase({ projectId, surveyIds: ["survey-1"] })).responsesDeleted).toBe(1001);
    expect(threads).toBe(1);
  },
);

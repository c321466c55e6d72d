import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { endIdleNodes, NodeProcess } from "./node-process.ts";

const temporary = mkdtempSync(join(tmpdir(), "afterword-leftovers-"));
// The nodes of this file inherit it, so that none which waits already may serve here.
endIdleNodes();
vi.stubEnv("TMPDIR", temporary);

afterAll(() => {
  vi.unstubAllEnvs();
  endIdleNodes();
  rmSync(temporary, { recursive: true, force: true });
});

const start = () =>
  NodeProcess.start({ database: ":memory:", config: { rateLimits: false, projects: [project("p")] } });
const folders = () => readdirSync(temporary).map((name) => join(temporary, name));

/** As if two minutes had passed since. */
function ageAll(): void {
  const then = new Date(Date.now() - 120_000);
  for (const folder of folders()) utimesSync(folder, then, then);
}

describe("a server in memory that is killed", () => {
  it("leaves a file that the next one removes, and the file of one that lives stays", async () => {
    const killed = await start();
    const [left] = folders();
    await killed.kill();
    expect(folders()).toEqual([left]);
    const living = await start();
    // Too young to be removed.
    expect(folders()).toContain(left);
    ageAll();
    const next = await start();
    expect(folders()).not.toContain(left);
    expect(folders()).toHaveLength(2);
    // It still works on its file.
    const client = new ApiClient(living.url, keysOf("p"));
    expect(await client.answer("p-nps", "ada")).toBeDefined();
    expect((await client.export()).json.count).toBe(1);
    await living.kill();
    await next.stop();
    expect(folders()).toHaveLength(1);
  });
});

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
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

describe("a server in memory", () => {
  it("removes its file when it stops; one that is killed leaves its own to the system", async () => {
    const killed = await start();
    const [left] = folders();
    await killed.kill();
    const next = await start();
    expect(folders()).toHaveLength(2);
    const client = new ApiClient(next.url, keysOf("p"));
    expect(await client.answer("p-nps", "ada")).toBeDefined();
    await next.stop();
    expect(folders()).toEqual([left]);
  });
});

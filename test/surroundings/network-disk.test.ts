import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type ServerEvent } from "@afterword/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "afterword-fuse-"));
const [behind, mounted] = [join(folder, "behind"), join(folder, "mounted")] as const;
for (const path of [behind, mounted]) mkdirSync(path);
const isMounted = spawnSync("bindfs", [behind, mounted]).status === 0;
if (!isMounted) console.warn("skipped: no bindfs, or no FUSE on this machine");

describe.runIf(isMounted)("a database on a FUSE mount", () => {
  beforeAll(() => symlinkSync(mounted, join(folder, "link")));
  afterAll(() => {
    spawnSync("fusermount3", ["-u", mounted]);
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(["mounted", "link"])(
    "is served with one warning that names the disk, by the path %s",
    async (path) => {
      const events: ServerEvent[] = [];
      const database = join(folder, path, "a.db");
      const server = await startServer({ database, events: { emit: (event) => void events.push(event) } });
      await server.close();
      const warnings = events.flatMap((event) => (event.kind === "warning" ? [event.message] : []));
      expect(warnings).toEqual([
        expect.stringContaining(`The database ${database} is on FUSE. If a network`),
      ]);
    },
  );

  it("may be behind a link of the file itself", async () => {
    const database = join(folder, "file.db");
    symlinkSync(join(mounted, "a.db"), database);
    const messages: string[] = [];
    const emit = (event: ServerEvent) => void (event.kind === "warning" && messages.push(event.message));
    await (await startServer({ database, keyFile: join(mounted, "a.db.key"), events: { emit } })).close();
    expect(messages.join()).toContain("is on FUSE");
  });
});

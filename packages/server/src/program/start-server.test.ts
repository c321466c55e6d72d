import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CannotListen } from "@afterword/command-line/start-listening";
import { holdForServing, InvalidConfig, type ServerConfig } from "@afterword/reference-server/internal";
import { type ServerEvent } from "../audit/audit-trail.ts";
import { startServer } from "./start-server.ts";

const config: ServerConfig = { projects: [{ id: "p", name: "p", allowedOrigins: [], surveys: [] }] };

describe("startServer", () => {
  it("starts a complete server in one line, and stops it at the end of the block", async () => {
    let url: string;
    {
      await using server = await startServer({ config });
      ({ url } = server);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const [project] = server.projects;
      expect(project).toEqual({ id: "p", publishableKey: expect.any(String), secretKey: expect.any(String) });
      const response = await fetch(`${url}/v1/sdk/bootstrap?key=${project!.publishableKey}`, {
        method: "POST",
      });
      expect(response.status).toBe(200);
    }
    await expect(fetch(url)).rejects.toThrow();
  });

  it("refuses a config that is null, as an empty YAML file gives", async () => {
    await expect(startServer({ config: null as never })).rejects.toThrow(InvalidConfig);
  });

  it("refuses an invalid config and leaves nothing behind", async () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-serve-"));
    const database = join(folder, "never.db");
    const wrong = { projects: [{ id: "" }] } as unknown as ServerConfig;
    await expect(startServer({ config: wrong, database })).rejects.toSatisfy(InvalidConfig.isInstance);
    expect(existsSync(database)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it("reports a missing folder of the database", async () => {
    await expect(startServer({ config, database: "/nowhere/at/all/a.db" })).rejects.toThrow("does not exist");
  });

  it("names the port in use and the remedy, and closes what it had opened", async () => {
    await using first = await startServer({ config });
    const port = Number(new URL(first.url).port);
    const taken = `Port ${port} on 127.0.0.1 is in use: stop the program that listens there`;
    await expect(startServer({ config, port })).rejects.toThrow(
      `${taken}, or choose another port with --port.`,
    );
    const admin = startServer({ config, admin: { port } });
    await expect(admin).rejects.toThrow(`${taken}, or choose another port with --admin-port.`);
    await expect(startServer({ config, port, host: "192.0.2.1" })).rejects.toSatisfy(
      (error) =>
        error instanceof CannotListen &&
        error.message.includes("does not have the address 192.0.2.1: choose one"),
    );
  });

  describe("on a database file", () => {
    const inFolder = async (run: (database: string) => Promise<void>) => {
      const folder = mkdtempSync(join(tmpdir(), "afterword-serve-"));
      try {
        await run(join(folder, "shop.db"));
      } finally {
        rmSync(folder, { recursive: true });
      }
    };
    async function warningsOf(database: string): Promise<string[]> {
      const warnings: string[] = [];
      const events = {
        emit: (event: ServerEvent) => void (event.kind === "warning" && warnings.push(event.message)),
      };
      await (await startServer({ config, database, events })).close();
      return warnings;
    }

    it("refuses to be a second server, and may be the next one", () =>
      inFolder(async (database) => {
        const first = await startServer({ config, database });
        await expect(startServer({ config, database })).rejects.toThrow(
          `Another server already serves ${database}: stop it first, or use PostgreSQL for several servers.`,
        );
        await first.close();
        await (await startServer({ config, database })).close();
      }));

    it.each([
      ["a symbolic link", symlinkSync, "Another server already serves"],
      ["a hard link", linkSync, "has 2 names (hard links)"],
    ])("refuses to be a second server through %s", (_, link, refusal) =>
      inFolder(async (database) => {
        await using first = await startServer({ config, database });
        const elsewhere = mkdtempSync(join(dirname(database), "elsewhere-"));
        const other = join(elsewhere, "other.db");
        link(database, other);
        await expect(startServer({ config, database: other })).rejects.toThrow(refusal);
        expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
        rmSync(other);
      }),
    );

    it("does not change the schema under a server that it is refused by", () =>
      inFolder(async (database) => {
        const release = holdForServing(database);
        await expect(startServer({ config, database })).rejects.toThrow("Another server already serves");
        expect(statSync(database).size).toBe(0);
        release();
        await (await startServer({ config, database })).close();
      }));

    it("makes files that only its own account can read, without a warning", () =>
      inFolder(async (database) => {
        expect(await warningsOf(database)).toEqual([]);
        expect(statSync(database).mode & 0o077).toBe(0);
        expect(statSync(`${database}.key`).mode & 0o077).toBe(0);
      }));

    it("warns when every account can read the database or the key", () =>
      inFolder(async (database) => {
        await warningsOf(database);
        for (const file of [database, `${database}.key`]) chmodSync(file, 0o644);
        expect(await warningsOf(database)).toEqual(
          [database, `${database}.key`].map(
            (file) => `Every account of this machine can read ${file}; run: chmod 600 ${file}`,
          ),
        );
      }));

    it.each(["missing", "empty"])(
      "warns when the database of a key is %s, before it makes a new one",
      (fault) =>
        inFolder(async (database) => {
          await warningsOf(database);
          rmSync(database);
          if (fault === "empty") writeFileSync(database, "", { mode: 0o600 });
          expect(await warningsOf(database)).toEqual([
            expect.stringContaining("the database was missing or empty, and a new one was created"),
          ]);
        }),
    );
  });

  it("keeps two servers in one process apart", async () => {
    await using one = await startServer({ config });
    await using other = await startServer({ config });
    const key = one.projects[0]!.publishableKey;
    const response = await fetch(`${other.url}/v1/sdk/bootstrap?key=${key}`, { method: "POST" });
    expect(response.status).toBe(401);
  });
});

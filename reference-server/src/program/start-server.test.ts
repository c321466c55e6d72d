import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CannotListen } from "./cannot-listen.ts";
import { InvalidConfig, startServer, type ServerConfig } from "../index.ts";

const config: ServerConfig = { projects: [{ id: "p", name: "p", allowedOrigins: [], surveys: [] }] };

describe("startServer", () => {
  it("starts a complete server in one line, and ends it with the block", async () => {
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

  it("refuses a config that is null, as an emptied file has it", async () => {
    await expect(startServer({ config: null as never })).rejects.toThrow(InvalidConfig);
  });

  it("refuses a config with mistakes and leaves nothing behind", async () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-serve-"));
    const database = join(folder, "never.db");
    const wrong = { projects: [{ id: "" }] } as unknown as ServerConfig;
    await expect(startServer({ config: wrong, database })).rejects.toSatisfy(InvalidConfig.isInstance);
    expect(existsSync(database)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it("says so when the folder of the database does not exist", async () => {
    await expect(startServer({ config, database: "/nowhere/at/all/a.db" })).rejects.toThrow("does not exist");
  });

  it("says which port is taken and what to do, and closes what it had opened", async () => {
    await using first = await startServer({ config });
    const port = Number(new URL(first.url).port);
    const taken = `Port ${port} of 127.0.0.1 is taken: end the program that listens there`;
    await expect(startServer({ config, port })).rejects.toThrow(
      `${taken}, or choose another port by --port.`,
    );
    const admin = startServer({ config, admin: { port } });
    await expect(admin).rejects.toThrow(`${taken}, or choose another port by --admin-port.`);
    await expect(startServer({ config, port, host: "192.0.2.1" })).rejects.toSatisfy(
      (error) => CannotListen.isInstance(error) && error.message.includes("no address 192.0.2.1: give one"),
    );
  });

  it("runs two servers in one process apart from each other", async () => {
    await using one = await startServer({ config });
    await using other = await startServer({ config });
    const key = one.projects[0]!.publishableKey;
    const response = await fetch(`${other.url}/v1/sdk/bootstrap?key=${key}`, { method: "POST" });
    expect(response.status).toBe(401);
  });
});

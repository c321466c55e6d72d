import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "./app.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "afterword-app-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("createApp", () => {
  it("has its own database, which it removes when it closes", async () => {
    {
      await using application = await createApp();
      expect((await application.app.request("/readyz")).status).toBe(200);
      expect(readdirSync(folder)).toHaveLength(1);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves no database behind when it cannot start", async () => {
    await expect(createApp({ masterKey: new Uint8Array(3) })).rejects.toThrow("must have 32 bytes");
    expect(readdirSync(folder)).toEqual([]);
  });
});

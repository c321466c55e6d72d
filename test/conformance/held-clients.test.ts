import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ClientUnderTest, clientClauses, type Role } from "@afterword/conformance";
import { build } from "esbuild";
import { chromium, type BrowserServer } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { chromiumArguments } from "../chromium.ts";
import { bundleOnce } from "../faults/bundle-once.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "afterword-clients-"));
const python = process.env["PYTHON_AGENT"];

let server: BrowserServer;
const programs: Record<string, string[]> = {};

beforeAll(async () => {
  const program = await bundleOnce(at("clients/node-client.ts"), "test");
  programs["the node client"] = [process.execPath, program];
  programs["the browser client"] = [process.execPath, at("clients/browser-client.ts")];
  programs["the Python client"] = [python ?? "", at("clients/python-client.py")];
  const options = {
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    logLevel: "error",
  } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [at("clients/page-script.ts")] });
  writeFileSync(join(folder, "page.js"), outputFiles[0]!.contents);
  server = await chromium.launchServer({ executablePath: inject("chromiumPath"), args: chromiumArguments });
  vi.stubEnv("PAGE_SCRIPT", join(folder, "page.js"));
  vi.stubEnv("CHROMIUM_ENDPOINT", server.wsEndpoint());
  vi.stubEnv("PYTHON_CLIENT_FOLDER", at("../../packages/create-afterword/templates/fastapi"));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The Python client has a run of its own, in .ci/jobs/python.sh, which installs its packages. */
const held: [name: string, role: Role][] = python
  ? [
      ["the Python client", "mint"],
      ["the Python client", "forward"],
    ]
  : [
      ["the node client", "mint"],
      ["the node client", "page"],
      ["the node client", "forward"],
      ["the browser client", "page"],
    ];

describe.each(held)("%s as %s", (name, role) => {
  it.concurrent.each(clientClauses[role].map(({ title, run }) => [title, run] as const))(
    "%s",
    { timeout: 120_000 },
    async (_title, run) => {
      const seen = await run(new ClientUnderTest(programs[name]!, role));
      expect(typeof seen).toMatch(/^(string|undefined)$/);
    },
  );
});

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const cwd = fileURLToPath(new URL(".", import.meta.url));

it("a project that uses jest imports the node package without any configuration", async () => {
  const jest = [
    "node_modules/jest/bin/jest.js",
    "--config",
    JSON.stringify({ rootDir: "jest", testMatch: ["**/*.cjs"] }),
  ];
  // Rejects with what it printed.
  const { stderr } = await promisify(execFile)(process.execPath, jest, {
    cwd,
    env: { ...process.env, NODE_ENV: "test" },
  });
  expect(stderr).toContain("8 passed, 8 total");
}, 60_000);

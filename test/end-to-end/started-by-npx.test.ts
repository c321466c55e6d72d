import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "afterword-npx-"));

/** Installs the tarball that is published; its dependencies are those of the workspace. */
function install(source: string, name: string): void {
  const installed = join(folder, "node_modules", name);
  mkdirSync(installed, { recursive: true });
  const packed = execFileSync("pnpm", ["pack", "--json", "--pack-destination", folder], {
    cwd: root + source,
    encoding: "utf8",
  });
  const { filename } = JSON.parse(packed) as { filename: string };
  execFileSync("tar", ["--extract", "--gzip", "--strip-components=1", "--file", filename], {
    cwd: installed,
  });
  symlinkSync(`${root}${source}/node_modules`, join(installed, "node_modules"));
  const { bin } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    bin: Record<string, string>;
  };
  for (const [command, file] of Object.entries(bin))
    symlinkSync(join(installed, file), join(folder, "node_modules/.bin", command));
}

beforeAll(() => {
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  install("packages/server", "@afterword/server");
  install("packages/node", "@afterword/node");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Resolves when a program and all that it has started have closed their output. */
async function startNpx(words: string, environment: Record<string, string> = {}) {
  const { AFTERWORD_BASE_URL: _, ...inherited } = process.env;
  const npx = spawn("npx", words.split(" "), {
    cwd: folder,
    env: { ...inherited, ...environment },
    // The end of this pipe is the end of the last process that holds it.
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const lines: string[] = [];
  for (const stream of [npx.stdout, npx.stderr])
    createInterface(stream).on("line", (line) => void lines.push(line));
  const closed = once(npx, "close");
  return { npx, lines, closed, stop: () => endGroup(npx) };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, "SIGKILL");
  } catch {
    // All have ended.
  }
}

const serve = "afterword-server serve --db ratings.db --port 0 --json";
const forward = "afterword forward --sink jsonl --out scores.jsonl --json";
const environments = {
  [serve]: {},
  // Nothing listens there: it waits and tries again.
  [forward]: { AFTERWORD_SECRET_KEY: "aw_sk_none", AFTERWORD_BASE_URL: "http://127.0.0.1:9" },
};

describe.each([
  ["serve", serve, '"url"', '"url"', 0],
  // It says what it has delivered when it stops.
  ["forward", forward, "forwarding", '"delivered":0', 130],
] as const)("`%s`, started by npx", (_, words, started, last, interrupted) => {
  const both = isFullProof && process.platform === "linux";
  const signals = both ? (["SIGTERM", "SIGKILL"] as const) : (["SIGTERM"] as const);

  it.each(signals)("stops gracefully when npx is ended by %s", async (signal) => {
    const { npx, lines, closed, stop } = await startNpx(words, environments[words]);
    try {
      await expect.poll(() => lines.join("\n"), { timeout: 30_000 }).toContain(started);
      npx.kill(signal);
      await closed;
      expect(lines.join("\n")).toContain(last);
      // SQLite removes it when the database is closed.
      expect(existsSync(join(folder, "ratings.db-wal"))).toBe(false);
    } finally {
      stop();
    }
  });

  it("ends when the terminal and npx both send it Ctrl-C, and not before it has stopped", async () => {
    // bash gives its process to the program, whose parent is npx then.
    const environment = { ...environments[words], npm_config_script_shell: "bash" };
    const { npx, lines, closed, stop } = await startNpx(words, environment);
    try {
      await expect.poll(() => lines.join("\n"), { timeout: 30_000 }).toContain(started);
      // To all of the foreground, as a terminal does.
      process.kill(-npx.pid!, "SIGINT");
      const [code, signal] = await closed;
      expect([code, signal]).toEqual([interrupted, null]);
      expect(lines.join("\n")).toContain(last);
      // SQLite removes it when the database is closed.
      expect(existsSync(join(folder, "ratings.db-wal"))).toBe(false);
    } finally {
      stop();
    }
  });
});

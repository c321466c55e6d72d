import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const hook = fileURLToPath(new URL("../../.github/hooks/commit-msg", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "afterword-commits-"));
// Of this repository's own hook, where git runs the tests.
const { GIT_DIR: _, GIT_INDEX_FILE: __, ...env } = process.env;
const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, env, stdio: "pipe" });

const accepts = (...words: string[]) => {
  const { status, stderr } = spawnSync(hook, words, { cwd: folder, env, encoding: "utf8" });
  return { isAccepted: status === 0, stderr };
};

/** The hook on a message, with so many lines staged. */
const committing = (message: string, lines: number) => {
  writeFileSync(join(folder, "file"), "line\n".repeat(lines));
  git("add", "file");
  writeFileSync(join(folder, ".git/message"), message);
  return accepts(".git/message");
};

beforeAll(() => {
  git("init", "--quiet");
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.com");
  git("commit", "--quiet", "--allow-empty", "--message", "first");
});
afterAll(() => rmSync(folder, { recursive: true }));

it("a subject has at most 72 characters, of whatever bytes", () => {
  expect(committing("ä".repeat(72), 1).isAccepted).toBe(true);
  const { isAccepted, stderr } = committing("ä".repeat(73), 1);
  expect([isAccepted, stderr]).toEqual([false, expect.stringContaining("has 73 characters")]);
});

it("a change of more than 150 lines has a body; comments are none", () => {
  expect(committing("subject", 150).isAccepted).toBe(true);
  expect(committing("subject\n\n# comment\n", 151).isAccepted).toBe(false);
  expect(committing("subject\n\nWhy.\n", 151).isAccepted).toBe(true);
});

it("each commit of a pushed range is checked", () => {
  git("commit", "--quiet", "--no-verify", "--message", "subject");
  expect(accepts("--range", "HEAD~1..HEAD")).toEqual({
    isAccepted: false,
    stderr: expect.stringMatching(/^[0-9a-f]{8}: 151 lines change/),
  });
});

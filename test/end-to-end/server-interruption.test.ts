import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerFolder, serverProgram } from "./server-program.ts";

const people = Array.from({ length: 20_000 }, (_, at) => `p${at}@example.com,3,2026-01-01T00:00:00Z,"words"`);

describe("Ctrl-C in the midst of a command", () => {
  let folder: ServerFolder;
  beforeAll(async () => {
    folder = new ServerFolder();
    await folder.createShop();
    writeFileSync(folder.file("answers.csv"), `email,rating,at,text\n${people.join("\n")}\n`);
    await folder.run("responses", "import", "shop", "answers.csv", "--survey", "s");
  });
  afterAll(() => folder[Symbol.dispose]());

  /** Interrupts the command as soon as a file of that name is there. */
  async function interrupted(words: string[], begun: string) {
    const child = spawn(process.execPath, [serverProgram, ...words], { cwd: folder.path, stdio: "ignore" });
    const ended = once(child, "exit") as Promise<[number | null, string | null]>;
    let isOver = false;
    void ended.then(() => (isOver = true));
    await expect
      .poll(() => isOver || readdirSync(folder.path).includes(begun), { interval: 1, timeout: 20_000 })
      .toBe(true);
    child.kill("SIGINT");
    return ended;
  }

  it.each([
    [["responses", "export", "shop", "out.jsonl"], "out.jsonl.part"],
    [["backup", "copy.db"], "copy.db.unfinished"],
  ])("%j leaves no half of a file, and ends as a script expects it: by the signal", async (words, begun) => {
    const before = readdirSync(folder.path);
    const [code, signal] = await interrupted(words, begun);
    // A fast run may have finished before the signal came.
    const isDone = code === 0;
    expect([isDone || code, signal]).toEqual(isDone ? [true, null] : [null, "SIGINT"]);
    const made = readdirSync(folder.path).filter((file) => !before.includes(file));
    expect(made).toEqual(isDone ? [words.at(-1)] : []);
  });
});

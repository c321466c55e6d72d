import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { plantedFaults } from "./planted-faults.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const root = new URL("../../", import.meta.url);

/** The exit code, standard output and standard error. */
async function simulate(...given: string[]): Promise<[code: number, printed: string, errors: string]> {
  try {
    const options = { maxBuffer: 2 ** 28 };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...given], options);
    return [0, stdout, stderr];
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return [code, stdout, stderr];
  }
}

describe("simulate", () => {
  it("finds no broken rule in a few worlds", async () => {
    const [code, printed] = await simulate("--seed", "1", "--steps", "8000");
    expect(printed).toMatch(/^No rule is broken in \d+ steps of \d worlds/);
    expect(code).toBe(0);
  });

  it("gives the same bytes of history for the same seed, in another process", async () => {
    const order = ["--seed", "2/3", "--history"];
    const [[, one], [, other]] = await Promise.all([simulate(...order), simulate(...order)]);
    expect(one.length).toBeGreaterThan(10_000);
    expect(one).toBe(other);
  });

  it("prints the first rule that a planted fault breaks and a shortened history, byte for byte the same", async () => {
    const order = ["--fault", "token-spent-twice"];
    const [[code, printed], [, other]] = await Promise.all([simulate(...order), simulate(...order)]);
    expect(printed).toBe(other);
    expect(printed).toContain("the calls of a token have an order in which each reply is right");
    expect(printed).toMatch(/With \d of \d+ actions/);
    expect(code).toBe(1);
  });
});

describe("planted faults", () => {
  it("each have a name, and a text that is once in their file", () => {
    expect(new Set(plantedFaults.map(({ name }) => name)).size).toBe(plantedFaults.length);
    for (const { name, file, text } of plantedFaults) {
      const source = readFileSync(new URL(file, root), "utf8");
      expect([name, source.split(text).length - 1]).toEqual([name, 1]);
    }
  });
});

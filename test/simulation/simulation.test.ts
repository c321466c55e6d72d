import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { plantedFaults } from "./planted-faults.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const root = new URL("../../", import.meta.url);

/** The exit code and what was printed. */
async function simulate(...given: string[]): Promise<[code: number, printed: string]> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...given], { maxBuffer: 2 ** 28 });
    return [0, stdout];
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return [code, stdout + stderr];
  }
}

const withoutTime = (printed: string) => printed.replaceAll(/, \d+\.\d s/g, "");

describe("simulate", () => {
  it("finds no broken rule in a few worlds", async () => {
    const [code, printed] = await simulate("--seed", "1", "--steps", "15000");
    expect(printed).toMatch(/^No rule is broken in \d+ steps of \d worlds/);
    expect(code).toBe(0);
  });

  it("gives the same bytes of history for the same seed, in another process", async () => {
    const order = ["--seed", "2/3", "--history"];
    const [one, other] = await Promise.all([simulate(...order), simulate(...order)]);
    expect(one[1].length).toBeGreaterThan(10_000);
    expect(withoutTime(one[1])).toBe(withoutTime(other[1]));
  });

  it("prints the first rule that a planted fault breaks, and a shortened history", async () => {
    const [code, printed] = await simulate("--fault", "token-spent-twice");
    expect(printed).toContain("the calls of a token have an order in which each reply is right");
    expect(printed).toMatch(/With \d of \d+ actions/);
    expect(code).toBe(1);
  });

  it.each([
    [["--seed", "x"], "--seed is x; it must be a whole number"],
    [["--seed", "1/2@0123"], "is of another version of the simulation"],
    [["--fault", "x"], "There is no fault x. The faults are:"],
    [["--steps", "0"], "--steps is 0; it must be a whole number from 1."],
    [["--speed"], "Unknown option '--speed'"],
  ])("refuses %j in one line", async (given, message) => {
    const [code, printed] = await simulate(...given);
    expect(printed).toContain(message);
    expect(printed.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(2);
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

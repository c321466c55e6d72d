import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { drawn } from "../bench/plot.ts";

const files = [...drawn()].map(([file, text]) => [file.pathname.split("/").at(-1)!, file, text] as const);

// After a change of figures, of sizes or of how plots are drawn: node test/bench/plot.ts
describe("the benchmarks", () => {
  it.each(files)("%s shows the saved figures", (_, file, text) => {
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { barChart } from "../bench/bar-chart.ts";
import { drawn } from "../bench/plot.ts";

const files = [...drawn()].map(([file, text]) => [file.pathname.split("/").at(-1)!, file, text] as const);

// After a change of figures, of sizes or of how plots are drawn: node test/bench/plot.ts
describe("the benchmarks", () => {
  it.each(files)("%s shows the saved figures", (_, file, text) => {
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

describe("a plot", () => {
  const bars = [
    { name: "ours & <fast>", value: 20, note: "of 40" },
    { name: "theirs", value: 5, isPeer: true as const },
    { name: "neither", value: 0 },
  ];
  const figures = { title: "One & two", date: "2026-01-02", panels: [{ heading: "Rate", unit: "/s", bars }] };
  const svg = barChart(figures);

  it("draws each bar as long as its share of the longest", () => {
    const lengths = [...svg.matchAll(/<rect [^>]*\bwidth="([\d.]+)"/g)].map(([, length]) => Number(length));
    expect(lengths).toEqual([336, 84, 0]);
  });

  it("names and describes what it shows, for readers who do not see it", () => {
    expect(svg).toContain("<title>One &amp; two</title>");
    expect(svg).toContain(
      "<desc>Rate: ours &amp; &lt;fast&gt; 20/s (of 40); theirs 5/s; neither 0/s.</desc>",
    );
  });

  it("has colours for light and dark pages, and no script", () => {
    expect(svg).toContain("prefers-color-scheme: dark");
    expect(svg).not.toContain("<script");
  });
});

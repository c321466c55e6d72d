import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { barChart } from "./bar-chart.ts";
import {
  conditionsOf,
  figuresFolder,
  savedFigures,
  valueText,
  type Bar,
  type Figures,
} from "./saved-figures.ts";

// Draws the saved figures, and puts them into the page of the benchmarks: `node test/bench/plot.ts`, without measuring again.

const sections = ["http", "submits", "loops", "forwarder", "langfuse", "results-1000000", "results-10000000"];
const page = new URL("../benchmarks.md", figuresFolder);
const sizes = new URL("../../browser/sizes.md", figuresFolder);

/** The comparison of sizes, in whole kB: a plot need not change with each byte. */
function sizeFigures(): Figures {
  const [, table = ""] = /<!-- sizes -->([^]*?)<!-- \/sizes -->/.exec(readFileSync(sizes, "utf8"))!;
  const rows = table
    .replaceAll(/<!--.*?-->|\*\*/g, "")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name]) => name && !name.startsWith("--"));
  const bars = (column: 2 | 3): Bar[] =>
    rows
      .filter((cells) => cells[column])
      .map((cells) => ({
        name: cells[1]!,
        value: Math.round(Number(cells[column]!.replaceAll(",", "")) / 1000),
        ...(!cells[1]!.startsWith("Afterword") && { isPeer: true as const }),
      }));
  return {
    title: "What a browser loads, beside other widgets",
    date: "2026-11-21",
    remark: "brotli 11, each file alone; Afterword as built",
    panels: [
      { heading: "No survey shows", unit: " kB", bars: bars(2) },
      { heading: "One survey is ready to send", unit: " kB", bars: bars(3) },
    ],
  };
}

/** A row for each panel; what concerns all panels of a section stands in its first row. */
function tableOf(all: readonly Figures[]): string {
  const rows = all.flatMap((figures) =>
    figures.panels.map((panel, index) => {
      const list = (bars: Bar[]) => bars.map((bar) => `${bar.name}: ${valueText(bar, panel)}`).join("<br>");
      const [title, conditions] = index === 0 ? [`**${figures.title}.** `, conditionsOf(figures)] : ["", ""];
      const own = list(panel.bars.filter(({ isPeer }) => !isPeer));
      const peers = list(panel.bars.filter(({ isPeer }) => isPeer));
      return `| ${title}${panel.heading} | ${own} | ${peers} | ${conditions} |`;
    }),
  );
  return ["| | Afterword | beside it | measured |", "|---|---|---|---|", ...rows].join("\n");
}

/** Every file that is made from figures, with its text. */
export function drawn(): Map<URL, string> {
  const measured = sections.flatMap((name) => {
    const figures = savedFigures(name);
    return figures ? [[name, figures] as const] : [];
  });
  const plotted = new Map([...measured, ["sizes", sizeFigures()]]);
  const image = (name: string) => {
    const figures = plotted.get(name);
    return figures ? `<img alt="${figures.title}" src="benchmarks/${name}.svg" width="480" />\n` : "";
  };
  const text = readFileSync(page, "utf8")
    .replaceAll(
      /(<!-- plot (\S+) -->\n)[^]*?(<!-- \/ -->)/g,
      (_, begin: string, name: string, end: string) => begin + image(name) + end,
    )
    .replace(
      /(<!-- figures -->\n)[^]*?(<!-- \/ -->)/,
      (_, begin: string, end: string) => `${begin}${tableOf(measured.map(([, figures]) => figures))}\n${end}`,
    );
  return new Map([
    ...[...plotted].map(
      ([name, figures]) => [new URL(`${name}.svg`, figuresFolder), barChart(figures)] as const,
    ),
    [page, text],
  ]);
}

if (import.meta.main) {
  for (const [file, text] of drawn()) {
    writeFileSync(file, text);
    process.stdout.write(`${fileURLToPath(file)}\n`);
  }
}

import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { conditionsOf, valueText, type Figures } from "./saved-figures.ts";

// Bars with their names above them and their values behind those, as narrow as a phone. The colours follow the reader's theme
// within the file, because a page that shows it in an <img> cannot set them.

const { document } = parseHTML("<html></html>");
const width = 360;
const margin = 12;
const rowHeight = 34;
const style = `
  svg { --paper: #fff; --ink: #1d2330; --accent: #3a55c4; --peer: #7d879b; background: var(--paper); color: var(--ink); }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14171f; --ink: #e8eaf0; --accent: #9db0ff; --peer: #6f7a90; }
  }
`;

interface Row {
  y: number;
  heading?: string;
  name?: string;
  text?: string;
  /** Of the longest bar of its panel. */
  share?: number;
  fill?: string;
}

function rowsOf({ panels }: Figures): Row[] {
  const rows = panels.flatMap((panel): Omit<Row, "y">[] => {
    // 1 where all are 0: none of them has a bar.
    const longest = Math.max(...panel.bars.map(({ value }) => value)) || 1;
    const bars = panel.bars.map((bar) => ({
      name: bar.name,
      text: valueText(bar, panel),
      share: bar.value / longest,
      fill: bar.isPeer ? "var(--peer)" : "var(--accent)",
    }));
    return [{ heading: panel.heading }, ...bars];
  });
  return rows.map((row, y) => ({ ...row, y }));
}

/** Everything that the picture shows, for readers who cannot see it. */
export const descriptionOf = ({ panels }: Figures): string =>
  panels
    .map((panel) => {
      const bars = panel.bars.map((bar) => `${bar.name} ${valueText(bar, panel)}`);
      return `${panel.heading}: ${bars.join("; ")}.`;
    })
    .join(" ");

function element(name: string, text: string): Element {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  made.textContent = text;
  return made;
}

/** The plot of a section as the text of an SVG file. */
export function barChart(figures: Figures): string {
  const rows = rowsOf(figures);
  const bars = rows.filter(({ share }) => share !== undefined);
  const label = { y: "y", fill: "currentColor", dy: -2, lineAnchor: "bottom" } as const;
  const footer = 44;
  const svg = Plot.plot({
    document,
    width,
    height: rows.length * rowHeight + footer,
    margin,
    marginTop: 0,
    marginBottom: footer,
    style: { fontSize: "12px", background: "var(--paper)" },
    axis: null,
    x: { domain: [0, 1] },
    y: { type: "band", domain: rows.map(({ y }) => y), padding: 0 },
    marks: [
      Plot.barX(bars, { x: "share", y: "y", fill: "fill", insetTop: 19, insetBottom: 5, rx: 2 }),
      Plot.text(bars, { ...label, text: "name", frameAnchor: "left" }),
      Plot.text(bars, { ...label, text: "text", frameAnchor: "right", fontWeight: 600 }),
      Plot.text(rows, { ...label, dy: 6, text: "heading", frameAnchor: "left", fontWeight: 700 }),
      Plot.text([conditionsOf(figures)], {
        frameAnchor: "bottom-left",
        lineAnchor: "top",
        dy: 10,
        lineWidth: 32,
        fill: "currentColor",
        fontSize: 10.5,
        lineHeight: 1.2,
      }),
    ],
  });
  for (const own of svg.querySelectorAll("style")) own.remove();
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("role", "img");
  svg.prepend(
    element("title", figures.title),
    element("desc", descriptionOf(figures)),
    element("style", style),
  );
  return `${svg.outerHTML}\n`;
}

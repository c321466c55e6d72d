import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";

/** One value of a plot. */
export interface Bar {
  name: string;
  value: number;
  /** Stands behind the value, such as the rate that a ratio is of. */
  note?: string;
  /** Another program, or another way of the same one, that Afterword is compared with. */
  isPeer?: true;
}

/** Bars of one unit, which are drawn to one scale. */
export interface Panel {
  heading: string;
  /** Follows each value: "/s", " ms". */
  unit: string;
  bars: Bar[];
}

/** The figures of one run, and the conditions that they were measured in. */
export interface Figures {
  title: string;
  date: string;
  node?: string;
  processor?: string;
  /** Of the minute before the run; absent where it was not recorded. */
  loadAverage?: number;
  remark?: string;
  panels: Panel[];
}

export const figuresFolder = new URL("../../docs/evidence/benchmarks/", import.meta.url);

/** Read when the program starts, because the run itself raises it. */
const [loadAverage] = loadavg();

const processors = () => {
  const all = cpus();
  return `${all.length} x ${all[0]!.model
    .replaceAll(/\(R\)|\(TM\)|CPU|@.*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()}`;
};

/** Writes the figures of a section, when the command has `--save`. */
export function saveFigures(name: string, title: string, panels: Panel[]): void {
  if (!process.argv.includes("--save")) return;
  const rounded = panels.map(({ bars, ...panel }) => ({
    ...panel,
    bars: bars.map((bar) => ({ ...bar, value: Number(bar.value.toPrecision(5)) })),
  }));
  const figures: Figures = {
    title,
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    processor: processors(),
    loadAverage: Number(loadAverage!.toFixed(2)),
    panels: rounded,
  };
  writeFileSync(new URL(`${name}.json`, figuresFolder), `${JSON.stringify(figures, null, 2)}\n`);
}

/** Nothing where the section has not been measured. */
export function savedFigures(name: string): Figures | undefined {
  const file = new URL(`${name}.json`, figuresFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Figures) : undefined;
}

/** Few digits for small values, all before the point for large ones. */
const digits = (value: number) => (value >= 100 ? 0 : value >= 10 ? 1 : 2);

export const valueText = ({ value, note }: Bar, { unit }: Panel): string => {
  const text = value.toLocaleString("en", { maximumFractionDigits: digits(value) }) + unit;
  return note ? `${text} (${note})` : text;
};

export const conditionsOf = ({ date, node, processor, loadAverage, remark }: Figures): string =>
  [
    date,
    node && `Node ${node}`,
    processor,
    loadAverage !== undefined && `load average ${loadAverage}`,
    remark,
  ]
    .filter(Boolean)
    .join(", ");

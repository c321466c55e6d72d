import { readFileSync } from "node:fs";

/** A fault of the product: in a file a text, which occurs once, is replaced. */
export interface PlantedFault {
  name: string;
  file: string;
  text: string;
  replacement: string;
  /** Why no run of two minutes finds it; absent for those that are found. */
  whyMissed?: string;
}

type Table = Record<string, Record<string, [text: string, replacement: string, whyMissed?: string]>>;

const table = JSON.parse(readFileSync(`${import.meta.dirname}/planted-faults.json`, "utf8")) as Table;

/** Those of the table, which lists them by file and name. */
export const plantedFaults: readonly PlantedFault[] = Object.entries(table).flatMap(([file, faults]) =>
  Object.entries(faults).map(([name, [text, replacement, whyMissed]]) => ({
    name,
    file,
    text,
    replacement,
    whyMissed,
  })),
);

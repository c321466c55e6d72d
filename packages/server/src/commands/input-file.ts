import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { InvalidConfig } from "@afterword/reference-server/internal";

const invalid = (problem: string, { message }: Error) =>
  new InvalidConfig([{ path: "", message: `${problem}: ${message.split("\n")[0]}` }]);

/** Reads a file, or standard input for `-`. @param formats for example `JSON` @throws InvalidConfig */
export function readInput(path: string, parse: (text: string) => unknown, formats: string): unknown {
  let text: string;
  try {
    // File descriptor 0 is standard input.
    text = readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw invalid(`cannot read ${path}`, error as Error);
  }
  try {
    return parse(text);
  } catch (error) {
    throw invalid(`${path} is ${formats}`, error as Error);
  }
}

/** The first bytes of a file; all of them when it has fewer. */
export function beginningOf(path: string, length: number): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

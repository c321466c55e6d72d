import { createReadStream } from "node:fs";
import { CsvError, parse } from "csv-parse";
import { type ImportLine } from "../administration/import-responses.ts";
import { InvalidConfig } from "@afterword/reference-server/internal";

const known = new Set(["email", "survey", "rating", "text", "at"]);
const traitPrefix = "trait.";
/** Maximum line length: a text of 10,000 characters of four bytes each, and the other columns. */
const longestLineInBytes = 128 * 1024;

export interface NumberedLine {
  /** Line number in the file, from 1. */
  number: number;
  line: ImportLine;
}

/** A misspelt column must not lose its data. */
function checkHeading(untrimmed: string[], path: string): string[] {
  const heading = untrimmed.map((name) => name.trim());
  const unknown = heading.filter((name) => !known.has(name) && !name.startsWith(traitPrefix));
  if (unknown.length === 0) return heading;
  const message = `is not a known column; use ${[...known].join(", ")}, or ${traitPrefix}NAME for traits`;
  throw new InvalidConfig(unknown.map((name) => ({ path: `${path}: ${name}`, message })));
}

function lineOf(record: Record<string, string>): ImportLine {
  const { email, survey, rating, text, at } = record;
  const traits = Object.entries(record)
    .filter(([name, value]) => name.startsWith(traitPrefix) && value !== "")
    .map(([name, value]) => [name.slice(traitPrefix.length), value] as const);
  return { email, survey, rating, text, at, traits: Object.fromEntries(traits) };
}

/** Reads a CSV file with a heading line by line, in constant memory. @throws InvalidConfig */
export async function* csvLines(path: string): AsyncGenerator<NumberedLine> {
  const parser = parse({
    bom: true,
    columns: (heading: string[]) => checkHeading(heading, path),
    info: true,
    skip_empty_lines: true,
    max_record_size: longestLineInBytes,
  });
  const file = createReadStream(path);
  file.on("error", (error) => parser.destroy(error));
  let countedTwice = 0;
  try {
    for await (const { record, info } of file.pipe(parser)) {
      const fields = record as Record<string, string>;
      // The parser counts a CR and a LF in quotes as two lines.
      countedTwice += Object.values(fields).join().match(/\r\n/g)?.length ?? 0;
      yield { number: (info.lines as number) - countedTwice, line: lineOf(fields) };
    }
  } catch (error) {
    if (error instanceof InvalidConfig) throw error;
    const cause = error as Error & { lines?: number };
    // The parser's own message quotes the line.
    if (error instanceof CsvError)
      throw new InvalidConfig([
        { path: `${path}:${cause.lines! - countedTwice}`, message: `is not CSV (${error.code})` },
      ]);
    throw new InvalidConfig([{ path: "", message: `cannot read ${path}: ${cause.message}` }]);
  } finally {
    file.destroy();
  }
}

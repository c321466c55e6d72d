import { readFileSync } from "node:fs";
import * as z from "zod";
import { StoreUnavailable, UsageError } from "@afterword/reference-server/internal";
import { type ErasureEntry, type ErasureLog } from "./erasure-log.ts";
import { appendJsonLine, checkJsonLines, type WriteBytes } from "./json-lines.ts";

/** Ends a line that a crash or a full disk cut off. Its erasure was answered with an error. */
const cutMark = "#cut-off";

/**
 * A file of one JSON line per erasure, on disk before the erasure happens. Several processes may append to it.
 * @throws UsageError when the file cannot be written
 */
export function openErasureLog(path: string, write?: WriteBytes): ErasureLog {
  try {
    checkJsonLines(path);
  } catch (error) {
    throw new UsageError(`Could not write to the erasure log ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return {
    async append(entry) {
      try {
        await appendJsonLine(path, entry, cutMark, write);
      } catch (error) {
        // The erasure has not happened yet and can be retried.
        throw new StoreUnavailable(
          `the erasure log cannot be written: ${path}: ${(error as Error).message}`,
          { cause: error },
        );
      }
    },
  };
}

const erasureEntry = z.object({
  at: z.iso.datetime(),
  projectId: z.string(),
  mode: z.enum(["respondent", "survey", "account"]),
  respondents: z.array(z.string()).optional(),
  surveyIds: z.array(z.string()).optional(),
  epoch: z.int().optional(),
});

function parseLine(line: string): ErasureEntry | undefined {
  try {
    return erasureEntry.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Reads all erasures of a log in order. @throws UsageError for an invalid line: no erasure may be skipped */
export function readErasureLog(path: string): ErasureEntry[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`Could not read the erasure log ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line === "") return [];
    const isMarked = line.endsWith(cutMark);
    // A complete entry counts even if its line break is missing: the erasure was requested.
    const entry = parseLine(isMarked ? line.slice(0, -cutMark.length) : line);
    if (entry) return [entry];
    if (isMarked || index === lines.length - 1) return [];
    throw new UsageError(
      `Line ${index + 1} of the erasure log ${path} is damaged: repair it, so that no erasure is lost.`,
    );
  });
}

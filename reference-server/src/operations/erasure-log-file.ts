import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { type ErasureEntry, type ErasureLog } from "../domain/erasure-log.ts";
import { Mistake } from "../domain/mistake.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";

export interface ErasureLogFile extends ErasureLog {
  close(): Promise<void>;
}

function flushFolder(path: string): void {
  const descriptor = openSync(dirname(path), "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/**
 * A file of one JSON line per erasure, on disk before the erasure happens. Several processes may append to it: each
 * line is one write.
 * @throws Mistake when the file cannot be written
 */
export function openErasureLog(path: string): ErasureLogFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, "a", 0o600);
    flushFolder(path);
  } catch (error) {
    throw new Mistake(`The erasure log ${path} cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return {
    async append(entry) {
      try {
        writeSync(descriptor, `${JSON.stringify(entry)}\n`);
        fsyncSync(descriptor);
      } catch (error) {
        // The erasure has not happened yet, so nothing is lost but time.
        throw new StoreUnavailable("the erasure log cannot be written", { cause: error });
      }
    },
    async close() {
      closeSync(descriptor);
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

/** All erasures of a log in order. @throws Mistake for a line that is none: an erasure must not be passed over */
export function readErasureLog(path: string): ErasureEntry[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Mistake(`The erasure log ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const lines = text.split("\n");
  const isCut = lines.at(-1) !== "";
  return lines.flatMap((line, index) => {
    if (line === "") return [];
    const entry = parseLine(line);
    if (entry) return [entry];
    // Whoever waited for it was told that the erasure failed.
    if (isCut && index === lines.length - 1) return [];
    throw new Mistake(
      `Line ${index + 1} of the erasure log ${path} is damaged: repair it, so that no erasure is lost.`,
    );
  });
}

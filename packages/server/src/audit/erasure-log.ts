import { type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "zod";
import { type Erasure, type Hooks } from "@afterword/reference-server";
import { keyedHash, StoreUnavailable, timestamp, UsageError } from "@afterword/reference-server/internal";
import { type StoreAdministration } from "../store/administration.ts";
import { openJsonLines, type WriteBytes } from "./json-lines.ts";

/** One erasure as the log outside the database keeps it. Identifies no person without the project's pepper. */
export interface ErasureEntry {
  /** In RFC 3339. */
  at: string;
  projectId: string;
  mode: Erasure["mode"];
  /** Keyed hashes of the respondents; absent where the erasure was not about respondents. */
  respondents?: string[];
  surveyIds?: string[];
  /** The project's epoch after an account purge. */
  epoch?: number;
}

const loggedErasure = z.object({
  at: z.iso.datetime(),
  projectId: z.string(),
  mode: z.enum(["respondent", "survey", "account"]),
  respondents: z.array(z.string()).optional(),
  surveyIds: z.array(z.string()).optional(),
  epoch: z.int().optional(),
});

/** Remembers erasures, so that they can be applied again to an older backup. */
export interface ErasureLog {
  /** Resolves when the entry is on disk. */
  append(entry: ErasureEntry): Promise<void>;
}

/** Differs from the hash of suppression, so that the log cannot be matched with the database. */
export function erasureHash(pepper: KeyObject, respondentId: string): string {
  return keyedHash(pepper, `erasure/${respondentId}`).toString("base64url");
}

function erasureEntry({ project, mode, at, respondentIds, surveyIds }: Erasure): ErasureEntry {
  const { id: projectId, pepper, epoch } = project;
  return {
    at: timestamp(at),
    projectId,
    mode,
    ...(respondentIds && { respondents: respondentIds.map((id) => erasureHash(pepper, id)) }),
    ...(surveyIds && { surveyIds }),
    ...(mode === "account" && { epoch: epoch + 1 }),
  };
}

/** Hooks that write erasures to a log first, so that none happens that a restored backup would not know of. */
export const rememberedIn = (log: ErasureLog | undefined) =>
  ({ beforeErase: async (erasure) => log?.append(erasureEntry(erasure)) }) satisfies Hooks;

/** The hooks of erasures with disk space for what they write, which is often on the disk of the database. */
export function inRoom(room: StoreAdministration["room"], hooks: Hooks): Hooks {
  return {
    ...hooks,
    async beforeErase(erasure) {
      room?.take();
      try {
        await hooks.beforeErase?.(erasure);
      } catch (error) {
        room?.giveBack();
        throw error;
      }
    },
    async afterErase(erasure, reply) {
      try {
        await hooks.afterErase?.(erasure, reply);
      } finally {
        room?.giveBack();
      }
    },
  };
}

/** Ends a line that a crash or a full disk cut off. Its erasure was answered with an error. */
const cutMark = "#cut-off";

/**
 * A file of one JSON line per erasure, on disk before the erasure happens. Several processes may append to it.
 * @throws UsageError when the file cannot be written
 */
export function openErasureLog(path: string, write?: WriteBytes): ErasureLog {
  const file = openJsonLines(path, "erasure log", cutMark, write);
  return {
    append: (entry) =>
      file.append(entry).catch((error: Error) => {
        // The erasure has not happened yet and can be retried.
        const reason = `the erasure log cannot be written: ${path}: ${error.message}`;
        throw new StoreUnavailable(reason, { cause: error });
      }),
  };
}

function parseLine(line: string): ErasureEntry | undefined {
  try {
    return loggedErasure.parse(JSON.parse(line));
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

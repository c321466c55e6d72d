import { mkdir, open, realpath } from "node:fs/promises";
import { platform } from "node:os";
import { dirname } from "node:path";
import { defineSink } from "../scores/sink.ts";
import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import type { Logger } from "../options/logger.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { lockFile } from "./file-lock.ts";
import { type JsonlFile, notAFile, type OpenFile, openJsonl } from "./jsonl-file.ts";

export interface JsonlOptions {
  /** The file. It and its folder are created if missing. */
  path: string;
  /** Opens files. Default: `open` of `node:fs/promises`. */
  open?: OpenFile | undefined;
  /** Warned of a file that other users of this machine can read. Default: the console. */
  logger?: Pick<Logger, "warn"> | undefined;
}

/** Waiting does not help: the path, its permissions or the other process has to change. */
const fatalCodes = /^E(ACCES|ISDIR|LOOP|NAMETOOLONG|NOENT|NOTDIR|PERM|ROFS|EXIST)$/;

/**
 * Writes one line of JSON per score to a file on this machine. An id that the file contains is not written again, so it
 * is safe to run again after any crash. A score counts as delivered once it is on the disk. Processes on one machine use
 * the file in turns.
 */
export function jsonl(options: JsonlOptions): Sink {
  const { path } = options;
  if (typeof path !== "string" || path === "")
    throw new ConfigurationError("The jsonl sink needs the path of its file.");
  const writer = jsonlWriter(options);
  return defineSink({
    name: "jsonl",
    batchSize: 100,
    textByDefault: "include",
    async deliver(scores) {
      const error = await writer.add(scores);
      return scores.map(() => (error === undefined ? { outcome: "delivered" } : failureOf(path, error)));
    },
    async eraseScores(scores) {
      const error = await writer.erase(scores.map(({ id }) => id));
      return scores.map(() =>
        error === undefined
          ? { outcome: "erased" }
          : { outcome: "failed", reason: failureOf(path, error).reason },
      );
    },
    close: () => writer.close(),
  });
}

/** Opens the file on first use and runs one operation at a time. Operations resolve to their error, or `undefined`. */
function jsonlWriter({ path, open: openFile = open, logger = console }: JsonlOptions) {
  let file: JsonlFile | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** Collects scores until its turn comes, so that they share one wait for the disk. */
  let batch: { scores: DeliverableScore[]; written: Promise<unknown> } | undefined;
  let hasWarned = false;

  async function letGo(): Promise<void> {
    await file?.close();
    file = undefined;
  }

  /** Locked for one operation, so that an erasure can come between those of a forwarder. */
  async function locked(work: (file: JsonlFile) => Promise<void>): Promise<void> {
    const release = await lockFile(await realPathOf(path, openFile));
    try {
      if (!(await file?.isInPlace())) await letGo();
      file ??= await openJsonl(path, openFile);
      // Never on Windows, whose permissions Node does not show.
      if (!hasWarned && platform() !== "win32" && (file.mode & 0o004) !== 0) {
        logger.warn(`jsonl: every user of this machine can read ${path}; chmod 600 keeps it private`);
        hasWarned = true;
      }
      await work(file);
    } catch (error) {
      // The state of the file's end is unknown: the next operation opens and reads it again.
      await letGo();
      throw error;
    } finally {
      await release();
    }
  }

  const inTurn = (work: (file: JsonlFile) => Promise<void>): Promise<unknown> =>
    (last = last.then(() => {
      batch = undefined;
      return locked(work).catch((error: unknown) => error);
    }));

  return {
    add(added: readonly DeliverableScore[]): Promise<unknown> {
      const scores: DeliverableScore[] = [];
      batch ??= { scores, written: inTurn((opened) => write(opened, scores)) };
      batch.scores.push(...added);
      return batch.written;
    },
    erase: (ids: readonly string[]): Promise<unknown> =>
      inTurn(async (opened) => {
        await opened.rewriteWithout(new Set(ids));
        await letGo();
      }),
    async close(): Promise<void> {
      await last;
      await letGo();
    },
  };
}

/** The file that the path leads to, created if missing: other paths to it have the same lock. */
const realPathOf = (path: string, openFile: OpenFile): Promise<string> =>
  realpath(path).catch(async () => {
    await mkdir(dirname(path), { recursive: true });
    // Only the owner may read it: it contains people's own words.
    await (await openFile(path, "a+", 0o600)).close();
    return realpath(path);
  });

async function write(file: JsonlFile, scores: readonly DeliverableScore[]): Promise<void> {
  const fresh = scores.filter(({ id }) => !file.ids.has(id));
  const lines = new Map(fresh.map((score) => [score.id, lineOf(score)]));
  if (lines.size === 0) return;
  await file.append([...lines.values()]);
  for (const id of lines.keys()) file.ids.add(id);
}

/** The id comes first, so that a torn line can be recognised as ours. */
const lineOf = ({ id, ...score }: DeliverableScore) => `${JSON.stringify({ id, ...score })}\n`;

/** A failed write, such as on a full disk, concerns all scores. */
function failureOf(path: string, error: unknown): Extract<Outcome, { outcome: "retry" | "fatal" }> {
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  if (code === notAFile) return { outcome: "fatal", reason: `jsonl: ${path} ${code}` };
  const reason = `jsonl: writing ${path} failed: ${code}`;
  return fatalCodes.test(code) ? { outcome: "fatal", reason } : { outcome: "retry", scope: "sink", reason };
}

import { open } from "node:fs/promises";
import { defineSink } from "../scores/sink.ts";
import type { DeliverableScore, ErasureOutcome, Outcome, Sink } from "../scores/sink.ts";
import type { Logger } from "../options/logger.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import type { FileLock } from "./file-lock.ts";
import { JsonlFile, type OpenFile, UnusableFileError } from "./jsonl-file.ts";

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
export function jsonl({ path, open: openFile = open, logger = console }: JsonlOptions): Sink {
  if (typeof path !== "string" || path === "") {
    throw new ConfigurationError("The jsonl sink needs the path of its file.");
  }
  const writer = new JsonlWriter(path, openFile, logger);
  return defineSink({
    name: "jsonl",
    batchSize: 100,
    textByDefault: "include",
    async deliver(scores) {
      const error = await writer.add(scores);
      const outcome = error === undefined ? ({ outcome: "delivered" } as const) : failure(path, error);
      return scores.map(() => outcome);
    },
    async eraseScores(scores) {
      const error = await writer.erase(scores.map(({ id }) => id));
      const outcome: ErasureOutcome =
        error === undefined
          ? { outcome: "erased" }
          : { outcome: "failed", reason: failure(path, error).reason };
      return scores.map(() => outcome);
    },
    close: () => writer.close(),
  });
}

/** Scores that are written together, and the error if that fails. */
interface Batch {
  scores: DeliverableScore[];
  written: Promise<unknown>;
}

/** Opens the file on first use and runs one operation at a time. Operations resolve to their error, or `undefined`. */
class JsonlWriter {
  #path: string;
  #open: OpenFile;
  #logger: Pick<Logger, "warn"> | undefined;
  #file: JsonlFile | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Collects scores until its turn comes, so that they share one wait for the disk. */
  #waiting: Batch | undefined;

  constructor(path: string, openFile: OpenFile, logger: Pick<Logger, "warn">) {
    this.#path = path;
    this.#open = openFile;
    this.#logger = logger;
  }

  add(scores: readonly DeliverableScore[]): Promise<unknown> {
    this.#waiting ??= this.#newBatch();
    this.#waiting.scores.push(...scores);
    return this.#waiting.written;
  }

  #newBatch(): Batch {
    const scores: DeliverableScore[] = [];
    const close = () => (this.#waiting = undefined);
    return { scores, written: this.#inTurn((file) => write(file, scores), close) };
  }

  erase(ids: readonly string[]): Promise<unknown> {
    return this.#inTurn(async (file) => {
      await file.rewriteWithout(new Set(ids), this.#open);
      await this.#letGo();
    });
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#letGo();
  }

  #inTurn(work: (file: JsonlFile) => Promise<void>, onTurn?: () => void): Promise<unknown> {
    const turn = this.#last.then(async () => {
      onTurn?.();
      let lock: FileLock | undefined;
      try {
        lock = await JsonlFile.lock(this.#path, this.#open);
        if (!(await this.#file?.isInPlace())) await this.#letGo();
        this.#file ??= await JsonlFile.open(this.#path, this.#open);
        if (this.#file.isReadableByAll) {
          this.#logger?.warn(
            `jsonl: every user of this machine can read ${this.#path}; chmod 600 keeps it private`,
          );
          this.#logger = undefined;
        }
        await work(this.#file);
        return undefined;
      } catch (error) {
        // The state of the file's end is unknown: the next operation opens and reads it again.
        await this.#letGo();
        return error;
      } finally {
        await lock?.release();
      }
    });
    this.#last = turn;
    return turn;
  }

  async #letGo(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }
}

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
function failure(path: string, error: unknown): Extract<Outcome, { outcome: "retry" | "fatal" }> {
  if (error instanceof UnusableFileError)
    return { outcome: "fatal", reason: `jsonl: ${path} ${error.message}` };
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  const reason = `jsonl: writing ${path} failed: ${code}`;
  return fatalCodes.test(code) ? { outcome: "fatal", reason } : { outcome: "retry", scope: "sink", reason };
}

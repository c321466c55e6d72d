import files, {
  appendFile,
  chmod,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Sink } from "../scores/sink.ts";
import { jsonl } from "./jsonl.ts";
import { aScore, times, untilAborted } from "./score.fixture.ts";

/** Opens files; a test replaces it to see what is written, or to play a disk that fails. */
type OpenFile = typeof open;
const realOpen = open;

function openBy(openFile: OpenFile): void {
  files.open = openFile;
  syncBuiltinESMExports();
}

let folder: string;
let path: string;
const sinks: Sink[] = [];
const logger = { warn: vi.fn<(message: string) => void>() };

beforeEach(async () => {
  logger.warn.mockClear();
  folder = await mkdtemp(join(tmpdir(), "jsonl-"));
  path = join(folder, "scores.jsonl");
});
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close?.();
  openBy(realOpen);
  await rm(folder, { recursive: true });
});

function fileSink(openFile = realOpen): Sink {
  openBy(openFile);
  const sink = jsonl({ path, logger });
  sinks.push(sink);
  return sink;
}

/** A process that begins anew: it knows nothing but the file. */
async function nextProcess(): Promise<Sink> {
  for (const sink of sinks.splice(0)) await sink.close?.();
  return fileSink();
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => aScore({ id: `id-${from + index}` }));
const lines = async () => (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
const linesById = async () => (await lines()).map((line) => (JSON.parse(line) as { id: string }).id);

/** Opens files and notes in which order they are written and are on the disk. */
function watchedFiles(beforeSync?: () => Promise<void>) {
  const steps: string[] = [];
  const openFile = (async (...args: Parameters<OpenFile>) => {
    const handle = await realOpen(...args);
    const { appendFile, datasync } = handle;
    handle.appendFile = (...data) => {
      steps.push("write");
      return appendFile.apply(handle, data);
    };
    handle.datasync = async () => {
      await beforeSync?.();
      await datasync.apply(handle);
      steps.push("synced");
    };
    return handle;
  }) as OpenFile;
  return { steps, openFile };
}

describe("a file that other users of the machine can read", () => {
  it.each([
    [0o644, 1],
    [0o640, 0],
    [0o600, 0],
  ])("with the mode %o is warned of %i times", async (mode, warnings) => {
    await writeFile(path, "");
    await chmod(path, mode);
    const sink = fileSink();
    for (const score of ids(1, 2)) await sink.deliver([score], untilAborted());
    await nextProcess();
    expect(logger.warn).toHaveBeenCalledTimes(warnings);
  });
});

describe("a score in a file of lines", () => {
  it("is one line of JSON with what the score carries and what it means", async () => {
    const score = aScore({ observationId: "obs-1", text: "line one\nline two \u2028 end" });
    expect(await fileSink().deliver([score], untilAborted())).toEqual([{ outcome: "delivered" }]);
    expect((await lines()).map((line) => JSON.parse(line))).toEqual([score]);
    expect((await lines())[0]).toMatch(/^\{"id":"/);
  });

  it("says of a thumb which one it is", async () => {
    await fileSink().deliver([aScore({ rating: 5, thumbs: "up" })], untilAborted());
    expect(JSON.parse((await lines())[0]!)).toMatchObject({ rating: 5, thumbs: "up" });
  });

  it("keeps the person's words by default, since the file stays on this machine", () => {
    expect(fileSink().textByDefault).toBe("include");
  });

  it("can be read by the owner alone", async () => {
    await fileSink().deliver([aScore()], untilAborted());
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("makes the folder that is missing", async () => {
    path = join(folder, "deep/er/scores.jsonl");
    expect(await fileSink().deliver([aScore()], untilAborted())).toEqual([{ outcome: "delivered" }]);
    expect(await lines()).toHaveLength(1);
  });

  it("is on the disk before it counts as delivered", async () => {
    const { steps, openFile } = watchedFiles();
    await fileSink(openFile).deliver([aScore()], untilAborted());
    steps.push("delivered");
    expect(steps.slice(-3)).toEqual(["write", "synced", "delivered"]);
  });

  it("shares the wait for the disk with all that came while another was waited for", async () => {
    const { steps, openFile } = watchedFiles();
    const sink = fileSink(openFile);
    await sink.deliver(ids(1, 1), untilAborted());
    steps.length = 0;
    const calls = ids(2, 9).map((score) => sink.deliver([score], untilAborted()));
    expect((await Promise.all(calls)).flat()).toEqual(times(8, { outcome: "delivered" }));
    expect(steps.filter((step) => step === "synced").length).toBeLessThanOrEqual(2);
    expect(await linesById()).toEqual(ids(1, 9).map(({ id }) => id));
  });
});

describe("running again", () => {
  it("writes no line twice in one run, one call or two", async () => {
    const sink = fileSink();
    await sink.deliver([...ids(1, 3), ...ids(2, 4)], untilAborted());
    expect(await sink.deliver(ids(1, 5), untilAborted())).toHaveLength(5);
    expect(await linesById()).toEqual(["id-1", "id-2", "id-3", "id-4", "id-5"]);
  });

  it("writes no line twice in the next run", async () => {
    await fileSink().deliver(ids(1, 3), untilAborted());
    await (await nextProcess()).deliver(ids(1, 5), untilAborted());
    expect(await linesById()).toEqual(["id-1", "id-2", "id-3", "id-4", "id-5"]);
  });

  it("keeps calls that overlap apart", async () => {
    const sink = fileSink();
    await Promise.all(
      [ids(1, 40), ids(20, 60), ids(1, 60)].map((some) => sink.deliver(some, untilAborted())),
    );
    expect((await linesById()).toSorted()).toEqual(
      ids(1, 60)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it("mends a torn last line, and delivers it whole", async () => {
    await fileSink().deliver(ids(1, 2), untilAborted());
    const whole = await readFile(path);
    const firstLine = whole.indexOf("\n") + 1;
    const ends = [firstLine, firstLine + 1, firstLine + 20, whole.length - 2, whole.length - 1, whole.length];
    for (const end of ends) {
      await nextProcess();
      await writeFile(path, whole.subarray(0, end));
      const outcomes = await sinks[0]!.deliver(ids(1, 3), untilAborted());
      expect(outcomes.every(({ outcome }) => outcome === "delivered")).toBe(true);
      expect(await linesById(), `torn at byte ${end}`).toEqual(["id-1", "id-2", "id-3"]);
    }
  });

  it("mends a tail of zero bytes, as some file systems leave one after a power cut", async () => {
    await writeFile(path, `{"id":"id-1"}\n${"\0".repeat(300)}`);
    await fileSink().deliver(ids(1, 2), untilAborted());
    expect(await linesById()).toEqual(["id-1", "id-2"]);
  });

  it("cuts nothing that it did not write: a foreign last line gets its end and stays", async () => {
    await writeFile(path, "a note of a person");
    await fileSink().deliver(ids(1, 1), untilAborted());
    expect((await lines())[0]).toBe("a note of a person");
    expect(await lines()).toHaveLength(2);
  });
});

describe("a file that others touch while it is open", () => {
  const replace = async () => {
    await writeFile(`${path}.saved`, '{"id":"id-1"}\n');
    await rename(`${path}.saved`, path);
  };

  it.each([
    ["deleted", async () => await rm(path), ["id-3", "id-4"]],
    ["moved away, as a log rotation does", async () => await rename(path, `${path}.1`), ["id-3", "id-4"]],
    ["replaced, as an editor and sed -i do", replace, ["id-1", "id-3", "id-4"]],
    ["emptied", async () => await truncate(path, 0), ["id-3", "id-4"]],
    [
      "given half a line",
      async () => await appendFile(path, '"a note"'),
      ["id-1", "id-2", undefined, "id-3", "id-4"],
    ],
  ])("has every later line when it was %s", async (_, touch, expected) => {
    const sink = fileSink();
    await sink.deliver(ids(1, 2), untilAborted());
    await touch();
    expect(await sink.deliver(ids(3, 3), untilAborted())).toEqual([{ outcome: "delivered" }]);
    expect(await sink.deliver(ids(4, 4), untilAborted())).toEqual([{ outcome: "delivered" }]);
    expect(await linesById()).toEqual(expected);
  });

  it.each([
    ["replaced", () => replace(), ["id-1", "id-2"]],
    ["deleted", () => rm(path), ["id-2"]],
  ])("counts nothing as delivered when it was %s while the line was written", async (_, touch, expected) => {
    let isReplaced = false;
    const { openFile } = watchedFiles(async () => {
      if (isReplaced || !(await readFile(path, "utf8")).includes("id-2")) return;
      isReplaced = true;
      await touch();
    });
    const sink = fileSink(openFile);
    await sink.deliver(ids(1, 1), untilAborted());
    expect(await sink.deliver(ids(2, 2), untilAborted())).toMatchObject([{ outcome: "retry" }]);
    expect(await sink.deliver(ids(2, 2), untilAborted())).toEqual([{ outcome: "delivered" }]);
    expect(await linesById()).toEqual(expected);
  });

  it("knows the lines that another program has added while it was read", async () => {
    const add = () => appendFile(path, '{"id":"id-1"}\n');
    const sink = fileSink(watchedFiles(vi.fn<typeof add>().mockImplementationOnce(add)).openFile);
    expect(await sink.deliver(ids(2, 2), untilAborted())).toMatchObject([{ outcome: "retry" }]);
    expect(await sink.deliver(ids(1, 2), untilAborted())).toEqual(times(2, { outcome: "delivered" }));
    expect(await linesById()).toEqual(["id-1", "id-2"]);
  });

  it("keeps the lines that an editor has saved when a score is erased", async () => {
    const sink = fileSink();
    await sink.deliver(ids(1, 2), untilAborted());
    await writeFile(`${path}.saved`, '{"id":"id-1"}\n{"id":"mine"}\n');
    await rename(`${path}.saved`, path);
    const erased = [{ id: "id-1", surveyId: null, name: "afterword.srv_csat", at: null }];
    expect(await sink.eraseScores?.(erased, untilAborted())).toEqual([{ outcome: "erased" }]);
    expect(await linesById()).toEqual(["mine"]);
  });
});

describe("a disk that fails", () => {
  /** Writes half of what it is given, then says that the disk is full; works from the second try on. */
  const fullOnce = () => {
    let isFull = true;
    return (async (...args: Parameters<OpenFile>) => {
      const handle = await realOpen(...args);
      const { appendFile } = handle;
      handle.appendFile = async (data) => {
        if (!isFull) return await appendFile.call(handle, data);
        isFull = false;
        await appendFile.call(handle, (data as Buffer).subarray(0, 150));
        throw Object.assign(new Error("disk is full"), { code: "ENOSPC" });
      };
      return handle;
    }) as OpenFile;
  };

  it("retries the scores of a full disk, all of them later, and leaves no half line behind", async () => {
    const sink = fileSink(fullOnce());
    expect(await sink.deliver(ids(1, 2), untilAborted())).toEqual(
      times(2, { outcome: "retry", scope: "sink", reason: `jsonl: writing ${path} failed: ENOSPC` }),
    );
    expect(await readFile(path, "utf8")).toBe("");
    expect(await sink.deliver(ids(1, 2), untilAborted())).toEqual(times(2, { outcome: "delivered" }));
    expect(await linesById()).toEqual(["id-1", "id-2"]);
  });

  it.each([
    ["a folder", () => (path = folder), "EISDIR"],
    ["a device", () => (path = "/dev/null"), "is not a regular file"],
    ["a path through a file", () => (path = join(folder, "file/scores.jsonl")), "E"],
  ])("stops at %s, which waiting cannot mend", async (_, choose, reason) => {
    await writeFile(join(folder, "file"), "");
    choose();
    const [outcome] = await fileSink().deliver(ids(1, 1), untilAborted());
    expect(outcome).toMatchObject({ outcome: "fatal", reason: expect.stringContaining(reason) });
  });

  it("goes on when the file could not be opened and now can", async () => {
    let isLocked = true;
    const openFile = (async (...args: Parameters<OpenFile>) => {
      if (isLocked) throw Object.assign(new Error("no"), { code: "EMFILE" });
      return await realOpen(...args);
    }) as OpenFile;
    const sink = fileSink(openFile);
    expect(await sink.deliver(ids(1, 1), untilAborted())).toMatchObject([{ outcome: "retry" }]);
    isLocked = false;
    expect(await sink.deliver(ids(1, 1), untilAborted())).toEqual([{ outcome: "delivered" }]);
  });

  it("lets a second writer in between its operations, and neither writes what the other has", async () => {
    const [first, second] = [fileSink(), fileSink()];
    await first.deliver(ids(1, 1), untilAborted());
    const both = [first.deliver(ids(2, 3), untilAborted()), second.deliver(ids(1, 4), untilAborted())];
    expect((await Promise.all(both)).flat()).toEqual(times(6, { outcome: "delivered" }));
    expect((await linesById()).toSorted()).toEqual(["id-1", "id-2", "id-3", "id-4"]);
  });
});

describe("erasing from a file of lines", () => {
  it("takes away the lines of the ids and keeps the others", async () => {
    const sink = fileSink();
    await sink.deliver(ids(1, 4), untilAborted());
    const erasable = ["id-2", "id-3", "unknown"].map((id) => ({
      id,
      surveyId: null,
      name: "afterword.srv_csat",
      at: null,
    }));
    expect(await sink.eraseScores?.(erasable, untilAborted())).toEqual(times(3, { outcome: "erased" }));
    expect(await linesById()).toEqual(["id-1", "id-4"]);
    await sink.deliver(ids(4, 5), untilAborted());
    expect(await linesById()).toEqual(["id-1", "id-4", "id-5"]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("works beside a writer that has the file open, loses nothing, and leaves no erased byte", async () => {
    const [writer, eraser] = [fileSink(), fileSink()];
    await writer.deliver(ids(1, 3), untilAborted());
    const reader = await realOpen(path);
    const erased = [{ id: "id-2", surveyId: null, name: null, at: null }];
    const writing = writer.deliver(ids(4, 6), untilAborted());
    expect(await eraser.eraseScores?.(erased, untilAborted())).toEqual([{ outcome: "erased" }]);
    await writing;
    await writer.deliver(ids(7, 7), untilAborted());
    expect((await linesById()).toSorted()).toEqual(["id-1", "id-3", "id-4", "id-5", "id-6", "id-7"]);
    expect(await reader.readFile("utf8")).toBe("");
    await reader.close();
  });
});

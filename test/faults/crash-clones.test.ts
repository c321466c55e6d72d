import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@afterword/server";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { addProject, exportOf, response, type NewResponse } from "../conformance/store-world.ts";
import { readImage, tornCheckpoint, tornCommit, writeImage, type DiskImage } from "./disk-image.ts";
import { isFullProof, proofScale } from "./proof-scale.ts";
import { seededRandom } from "./seeded-random.ts";

// A power cut stops the disk in the middle of a write, which no killed process can show: the disk is copied before and
// after each commit, and what lies between the two is put together as a disk might have been left.

const rounds = proofScale({ quick: 1, full: 80 });
const clonesPerRound = proofScale({ quick: 30, full: 60 });
const seed = 20261121;
const folder = mkdtempSync(join(tmpdir(), "afterword-clones-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the store has said, and what it was asked while the disk stopped. */
interface Said {
  stored: Map<string, NewResponse>;
  /** Ids. */
  erased: Set<string>;
  inFlight: readonly NewResponse[];
}

/** Opens a disk as the next start would, and compares it with what was said. */
async function check(image: DiskImage, project: string, said: Said): Promise<void> {
  const path = join(folder, "clone.db");
  writeImage(path, image);
  const store = await openStore(path);
  const { rows } = await exportOf(store, { projectId: project });
  await store.close();
  const found = new Map(rows.map(({ id, text }) => [id, text]));
  const lost = [...said.stored.keys()].filter((id) => !found.has(id));
  const changed = [...said.stored.values()].filter(({ id, text }) => found.get(id) !== text);
  const back = [...said.erased].filter((id) => found.has(id));
  expect({ lost, changed: changed.length, back }).toEqual({ lost: [], changed: 0, back: [] });
  // One batch is one commit: all of it or nothing.
  const arrived = said.inFlight.filter(({ id }) => found.has(id)).length;
  expect([0, said.inFlight.length]).toContain(arrived);
  const connection = new Database(path);
  expect(connection.pragma("integrity_check", { simple: true })).toBe("ok");
  const tokens = connection.prepare("SELECT count(*) FROM spent_tokens").pluck().get() as number;
  expect(tokens).toBe(said.stored.size + said.erased.size + arrived);
  connection.close();
}

/** The next answers, in one batch, of up to sixty pages each. */
function nextBatch(project: string, random: () => number, index: number): NewResponse[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, (_, number) => {
    const respondentId = `p-${index}-${number}`;
    const text = String.fromCodePoint(97 + (index % 26)).repeat(1 + Math.floor(random() * 240_000));
    return response(project, { respondentId, respondentHash: Buffer.from(respondentId), text });
  });
}

async function eraseOne(store: Store, project: string, said: Said): Promise<void> {
  const [id, { respondentId = "" }] = [...said.stored][0]!;
  await store.erase({
    projectId: project,
    respondents: [{ id: respondentId, hash: Buffer.from(respondentId) }],
  });
  said.stored.delete(id);
  said.erased.add(id);
}

/** One database from its first answer on; how many clones of it there were, by what the disk was doing. */
async function stopTheDiskAgainAndAgain(path: string, random: () => number) {
  const store = await openStore(path);
  const project = await addProject(store);
  const said: Said = { stored: new Map(), erased: new Set(), inFlight: [] };
  const clones = { commit: 0, checkpoint: 0, erasure: 0 };
  let before = readImage(path);
  for (let index = 1; clones.commit + clones.checkpoint + clones.erasure < clonesPerRound; index++) {
    const batch = nextBatch(project, random, index);
    await Promise.all(batch.map((one) => store.submit(one)));
    let after = readImage(path);
    const isCheckpoint = !before.file.equals(after.file);
    if (!isCheckpoint && random() < clonesPerRound / 120) {
      await check(tornCommit(before, after, random), project, { ...said, inFlight: batch });
      clones.commit++;
    }
    for (const one of batch) said.stored.set(one.id, one);
    for (let times = isCheckpoint ? 5 : 0; times > 0; times--, clones.checkpoint++)
      await check(tornCheckpoint(before, after, random), project, said);
    // Rarely: it empties the log, and a checkpoint comes with four thousand pages of it.
    if (isCheckpoint || index === 5) {
      await eraseOne(store, project, said);
      after = readImage(path);
      await check(after, project, said);
      clones.erasure++;
    }
    before = after;
  }
  await store.close();
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.reserve`]) rmSync(file, { force: true });
  return clones;
}

describe("a disk that stops in the middle of a write", () => {
  it(
    `has all that was acknowledged, in each of ${rounds * clonesPerRound} ways in which it may have stopped`,
    async () => {
      const random = seededRandom(seed);
      const sum = { commit: 0, checkpoint: 0, erasure: 0 };
      for (let round = 0; round < rounds; round++) {
        const clones = await stopTheDiskAgainAndAgain(join(folder, `live-${round}.db`), random);
        for (const kind of ["commit", "checkpoint", "erasure"] as const) sum[kind] += clones[kind];
      }
      if (isFullProof) console.log(sum);
      expect(sum.commit).toBeGreaterThan(clonesPerRound / 4);
      expect(sum.checkpoint).toBeGreaterThanOrEqual(5);
      expect(sum.erasure).toBeGreaterThanOrEqual(2);
    },
    rounds * 120_000,
  );
});

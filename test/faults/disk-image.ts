import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** What stands on the disk of a SQLite database: its file, and its write-ahead log. */
export interface DiskImage {
  file: Buffer;
  log: Buffer;
}

const sectorBytes = 512;
const logHeaderBytes = 32;

export function readImage(path: string): DiskImage {
  const log = `${path}-wal`;
  return { file: readFileSync(path), log: existsSync(log) ? readFileSync(log) : Buffer.alloc(0) };
}

/** As a machine that went down left it: without the index of the log, which is only ever in memory. */
export function writeImage(path: string, { file, log }: DiskImage): void {
  rmSync(`${path}-shm`, { force: true });
  writeFileSync(path, file);
  writeFileSync(`${path}-wal`, log);
}

/** Of what was being written, everything up to a place has arrived. */
function cut(before: Buffer, after: Buffer, place: number): Buffer {
  return Buffer.concat([after.subarray(0, place), before.subarray(place)]);
}

/** Of what was being written, some sectors have arrived and others have not, in no order. */
function scatter(before: Buffer, after: Buffer, random: () => number): Buffer {
  const mixed = Buffer.from(after);
  for (let start = 0; start < after.length; start += sectorBytes) {
    if (random() < 0.5) continue;
    const end = Math.min(start + sectorBytes, after.length);
    mixed.fill(0, start, end);
    if (start < before.length) before.copy(mixed, start, start, Math.min(end, before.length));
  }
  return mixed;
}

function firstDifference(before: Buffer, after: Buffer): number {
  const shorter = Math.min(before.length, after.length);
  let place = 0;
  const step = 4096;
  while (place < shorter && before.subarray(place, place + step).equals(after.subarray(place, place + step)))
    place += step;
  while (place < shorter && before[place] === after[place]) place++;
  return Math.min(place, shorter);
}

/**
 * A disk that stopped in the middle of one commit, before its flush returned. The header of a log that begins anew is
 * flushed before anything behind it is written.
 */
export function tornCommit(before: DiskImage, after: DiskImage, random: () => number): DiskImage {
  const changedFrom = Math.max(firstDifference(before.log, after.log), logHeaderBytes);
  const length = Math.max(0, after.log.length - changedFrom);
  const settled = Buffer.concat([
    after.log.subarray(0, logHeaderBytes),
    before.log.subarray(logHeaderBytes, changedFrom),
  ]);
  const [old, young] = [before.log.subarray(changedFrom), after.log.subarray(changedFrom)];
  const torn =
    random() < 0.5 ? cut(old, young, Math.floor(random() * (length + 1))) : scatter(old, young, random);
  return { file: before.file, log: Buffer.concat([settled, torn]) };
}

/** A disk that stopped while the log, which is whole, was being moved into the file. */
export function tornCheckpoint(before: DiskImage, after: DiskImage, random: () => number): DiskImage {
  return { file: scatter(before.file, after.file, random), log: after.log };
}

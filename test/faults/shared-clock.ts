import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testClock } from "../conformance/api/test-clock.ts";

/** A clock that several processes read and one test moves: its time stands in a file, eight bytes as a double. */
export function sharedClock() {
  const folder = mkdtempSync(join(tmpdir(), "afterword-clock-"));
  const file = join(folder, "now");
  const descriptor = openSync(file, "w");
  const bytes = Buffer.alloc(8);
  const clock = testClock();
  const write = () => {
    bytes.writeDoubleLE(clock.now());
    writeSync(descriptor, bytes, 0, 8, 0);
  };
  write();
  return {
    file,
    now: clock.now,
    advance(milliseconds: number) {
      clock.advance(milliseconds);
      write();
    },
    close() {
      closeSync(descriptor);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same clock as another process reads it. */
export function readSharedClock(file: string) {
  const descriptor = openSync(file, "r");
  const bytes = Buffer.alloc(8);
  return {
    now() {
      readSync(descriptor, bytes, 0, 8, 0);
      return bytes.readDoubleLE();
    },
  };
}

import { existsSync, statSync } from "node:fs";
import { type StoreFinding } from "../store/store.ts";

const readableByOthers = 0o004;

/** Checks that files with people's answers, or the key to them, are not readable by every account. */
export function examineFiles(paths: readonly string[]): StoreFinding[] {
  return paths.filter(existsSync).map((path) => {
    const name = `permissions of ${path}`;
    const mode = statSync(path).mode & 0o777;
    const found = `0${mode.toString(8)}`;
    if ((mode & readableByOthers) === 0) return { name, isGood: true, found };
    const advice = `Every account of this machine can read ${path}; run: chmod 600 ${path}`;
    return { name, isGood: false, found, advice };
  });
}

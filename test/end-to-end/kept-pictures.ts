import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

// Pictures that are looked at by people and kept: made anew with AFTERWORD_PICTURES=keep after a change of the look.
const kept = fileURLToPath(new URL("../../packages/browser/gallery/pictures/", import.meta.url));
/** Share of the picture that may differ: another processor rounds the edges of letters differently. */
export const tolerance = 0.002;

/** Share of the points that differ from a kept picture, 0 to 1; 1 where even the sizes do. */
function difference(name: string, seen: Buffer): number {
  const [one, other] = [PNG.sync.read(readFileSync(`${kept}${name}.png`)), PNG.sync.read(seen)];
  const { width, height } = one;
  if (width !== other.width || height !== other.height) return 1;
  return pixelmatch(one.data, other.data, undefined, width, height, { threshold: 0.1 }) / (width * height);
}

/** The same, after the picture was kept in place of the one before if that is what is wanted. */
export function differenceToKept(name: string, seen: Buffer): number {
  if (process.env["AFTERWORD_PICTURES"] === "keep") writeFileSync(`${kept}${name}.png`, seen);
  return difference(name, seen);
}

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";

export interface Seed {
  number: number;
  /** Only this world of it. */
  world?: number;
}

/** Another one gives other worlds for the same seed: it changes with the files of this folder. */
export function versionOfSimulation(): string {
  const hash = createHash("sha256");
  const { dirname } = import.meta;
  const own = globSync("*.ts", { cwd: dirname }).filter((name) => !name.endsWith(".test.ts"));
  for (const name of own.sort()) hash.update(readFileSync(`${dirname}/${name}`));
  return hash.digest("hex").slice(0, 8);
}

/** Reads `3`, `3/17` for one world of it, or `3/17@version`. Returns what is wrong with another text. */
export function parseSeed(text: string): Seed | string {
  const found = /^(\d{1,15})(?:\/(\d{1,9}))?(?:@(\w+))?$/.exec(text);
  if (!found) return `--seed is ${text}; it must be a whole number, or two such as 3/17 for one world.`;
  const [, number, world, version] = found;
  if (version !== undefined && version !== versionOfSimulation())
    return `The seed ${text} is of another version of the simulation; this one is ${versionOfSimulation()}.`;
  return { number: Number(number), ...(world !== undefined && { world: Number(world) }) };
}

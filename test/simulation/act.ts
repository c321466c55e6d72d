import type { World } from "./world.ts";

/** Something that happens to a world. All that is random about it comes from `random`, which is its own. */
export type Act = (world: World, random: () => number) => void;

export const oneOf = <T>(items: readonly T[], random: () => number): T =>
  items[Math.floor(random() * items.length)]!;

import { type KeyUses } from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";
import { lockDirectory } from "./agreements.ts";

/** When a key was last used for anything. */
export function lastUseOf(uses: KeyUses = {}): number | undefined {
  const times = Object.values(uses);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** Merges uses into a key's column `uses`, keeping the later time of each. @param stored what the column has now */
function laterUses(stored: string | null, uses: KeyUses): string {
  const known = JSON.parse(stored ?? "{}") as KeyUses;
  const times = Object.entries({ ...known, ...uses });
  return JSON.stringify(
    Object.fromEntries(times.map(([use, at]) => [use, Math.max(at, known[use as keyof KeyUses] ?? at)])),
  );
}

/** Remembers when keys were last used; does not count as a change of the directory. Under the directory's lock, since other nodes do the same. */
export async function recordKeyUse(
  queries: Queries,
  usesByKeyId: ReadonlyMap<string, KeyUses>,
): Promise<void> {
  await lockDirectory(queries);
  const ids = [...usesByKeyId.keys()];
  const stored = await queries.selectFrom("keys").select(["id", "uses"]).where("id", "in", ids).execute();
  for (const { id, uses } of stored) {
    const merged = laterUses(uses, usesByKeyId.get(id)!);
    await queries.updateTable("keys").set({ uses: merged }).where("id", "=", id).execute();
  }
}

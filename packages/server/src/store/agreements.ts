import { type Queries } from "@afterword/results/store";

/** Locks directory and agreements until the transaction ends; by an UPDATE, since SQLite has no FOR UPDATE. */
export async function lockDirectory(queries: Queries): Promise<void> {
  await queries
    .updateTable("directory")
    .set(({ ref }) => ({ version: ref("version") }))
    .execute();
}

/** What nodes and commands agreed on under a name; `undefined` while nothing was. */
export async function agreement(queries: Queries, name: string): Promise<string | undefined> {
  const agreements = queries.selectFrom("agreements").select("value");
  return (await agreements.where("name", "=", name).executeTakeFirst())?.value;
}

/** Replaces what was agreed on under a name; a function gets what it replaces, and lets no other in between. */
export async function changeAgreement(
  queries: Queries,
  name: string,
  change: string | ((before?: string) => string),
): Promise<void> {
  let value = change;
  if (typeof value === "function") {
    await lockDirectory(queries);
    value = value(await agreement(queries, name));
  }
  const insert = queries.insertInto("agreements").values({ name, value });
  await insert.onConflict((conflict) => conflict.column("name").doUpdateSet({ value })).execute();
}

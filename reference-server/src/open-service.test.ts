import { expect, it } from "vitest";
import { desiredProjects } from "./config/desired-projects.ts";
import { parseConfig } from "./config/parse-config.ts";
import { applyConfig } from "./open-service.ts";
import { openSqlite } from "./store/open-store.ts";

it("a config creates the keys that its audit has named, although a server notes the use of others meanwhile", async () => {
  const { store, connection } = await openSqlite(":memory:");
  const material = { now: 1, masterKeys: { seal: () => "sealed" } };
  const desired = (...ids: string[]) =>
    desiredProjects(
      parseConfig({ projects: ids.map((id) => ({ id, name: id, allowedOrigins: ["*"], surveys: [] })) }),
    );
  await applyConfig({ store }, desired("shop"), material);
  let named: readonly object[] = [];
  const applyChange = async (change: { keys?: readonly object[] }, apply: () => Promise<object>) => {
    named = change.keys!;
    connection.exec(`UPDATE keys SET uses = '{"page":2}'`);
    await apply();
  };
  const { keys } = await applyConfig({ store, applyChange }, desired("shop", "new"), material);
  expect(keys).toEqual(named);
  const stored = (await store.readDirectory()).find(({ id }) => id === "new")!;
  expect(stored.keys.map(({ id }) => id).toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
  await store.close();
});

import { expect, it } from "vitest";
import { openStore } from "../store/open-store.ts";
import type { ProjectRecord, Store } from "../store/store.ts";
import { ProjectDirectory } from "./project-directory.ts";
import { MasterKey, MasterKeys, randomSecrets, sealSecrets } from "./master-keys.ts";

const masterKey = new Uint8Array(32);
const project = (name: string): ProjectRecord => ({
  id: "shop",
  name,
  allowedOrigins: [],
  gating: {},
  epoch: 1,
  secrets: sealSecrets(new MasterKey(masterKey), "shop", randomSecrets()),
  createdAt: 0,
});

it("a look that takes long never puts older projects in the place of newer ones", async () => {
  const store = await openStore(":memory:");
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  let reads = 0;
  const readDirectory: Store["readDirectory"] = async () => {
    const stored = await store.readDirectory();
    if (++reads === 1) await held;
    return stored;
  };
  const masterKeys = await MasterKeys.open(store, async () => [new MasterKey(masterKey)], { now: () => 0 });
  const directory = new ProjectDirectory({ ...store, readDirectory }, masterKeys);
  await store.changeDirectory(() => ({ projects: [project("Old")] }));
  const slow = directory.refresh();
  await expect.poll(() => reads).toBe(1);
  await store.changeDirectory(() => ({ projects: [project("New")] }));
  await directory.refresh();
  letGo();
  await slow;
  expect(directory.project("shop")?.name).toBe("New");
  await store.close();
});

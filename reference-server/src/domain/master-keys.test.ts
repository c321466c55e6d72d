import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../store/open-store.ts";
import type { MasterKeyRecord, Store } from "../store/store.ts";
import { ProjectDirectory } from "./project-directory.ts";
import { MasterKey, MasterKeys, randomSecrets, sealedWith, sealSecrets } from "./master-keys.ts";

const now = Date.parse("2026-03-04T05:06:07.089Z");
const validUntil = now + 3_600_000;
const clock = { now: () => now };
const [old, next] = [MasterKey.random(), MasterKey.random()];
const rotated: MasterKeyRecord[] = [
  { id: next.id, since: now },
  { id: old.id, since: 0, validUntil },
];

let store: Store;
beforeEach(async () => void (store = await openStore(":memory:")));
afterEach(() => store.close());

const open = (...given: MasterKey[]) => MasterKeys.open(store, async () => given, clock);

describe("the master keys of a database", () => {
  it("begin with the first that is given, and with the time", async () => {
    const keys = await open(next, old);
    expect(keys.records).toEqual([{ id: next.id, since: now }]);
    expect(keys.unused.map(({ id }) => id)).toEqual([old.id]);
  });

  it("are what the database says, whatever their order", async () => {
    await open(old);
    expect((await open(next, old)).sealing(now).id).toBe(old.id);
    await expect(open(next)).rejects.toThrow("This database uses another master key");
  });

  it("seal with the new one at once when the old one is no longer valid", async () => {
    await store.changeDirectory(() => ({
      masterKeys: [rotated[0]!, { id: old.id, since: 0, validUntil: now }],
    }));
    expect((await open(next, old)).sealing(now).id).toBe(next.id);
  });
});

describe("a process that runs while the master key is rotated", () => {
  const project = (secrets: string, epoch = 1) => ({
    projects: [{ id: "shop", name: "Shop", allowedOrigins: [], gating: {}, epoch, secrets, createdAt: now }],
  });
  const rotate = (secrets: string) =>
    store.changeDirectory(() => ({ masterKeys: rotated, ...project(secrets) }));

  it("seals anew what another process sealed with the old one in the meantime", async () => {
    const secrets = randomSecrets();
    await rotate(sealSecrets(old, "shop", secrets));
    const directory = new ProjectDirectory(store, await open(next, old));
    await directory.refresh();
    const [shop] = await store.readDirectory();
    expect(sealedWith(shop!)).toBe(next.id);
    await directory.refresh();
    expect(directory.project("shop")!.pepper.equals(secrets.pepper)).toBe(true);
  });
});

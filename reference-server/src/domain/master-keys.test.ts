import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../store/open-store.ts";
import type { MasterKeyRecord, Store } from "../store/store.ts";
import { MasterKey, MasterKeys, pickUpInMs } from "./master-keys.ts";
import { ProjectDirectory } from "./project-directory.ts";
import { randomSecrets, sealedWith, sealSecrets } from "./project-secrets.ts";
import { ShowTokens } from "./show-token.ts";

const now = Date.parse("2026-03-04T05:06:07.089Z");
const validUntil = now + 3_600_000;
const clock = { now: () => now };
const [old, next] = [MasterKey.random(), MasterKey.random()];
const rotated: MasterKeyRecord[] = [
  { id: next.id, since: now },
  { id: old.id, since: 0, validUntil },
];
const issue = { epoch: 1, issuedAt: now, expiresAt: now + 7_200_000 };

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

  it("after a rotation seal with the old one for a minute, until every node has the new one", async () => {
    await store.changeDirectory(() => ({ masterKeys: rotated }));
    const keys = await open(next, old);
    const sealing = [now, now + pickUpInMs - 1, now + pickUpInMs].map((at) => keys.sealing(at).id);
    expect(sealing).toEqual([old.id, old.id, next.id]);
  });

  it("open tokens of the old one until the overlap ends, and not after it", async () => {
    const [token] = new ShowTokens(await open(old)).seal("p", issue, ["s"]);
    await store.changeDirectory(() => ({ masterKeys: rotated }));
    const tokens = new ShowTokens(await open(next, old));
    expect(tokens.open("p", token!, validUntil - 1).surveyId).toBe("s");
    expect(() => tokens.open("p", token!, validUntil)).toThrow("new show-token");
    expect(() => new ShowTokens(keysOfStranger).open("p", token!, now)).toThrow("new show-token");
  });

  it("seal with the new one at once when the old one is no longer valid", async () => {
    await store.changeDirectory(() => ({
      masterKeys: [rotated[0]!, { id: old.id, since: 0, validUntil: now }],
    }));
    expect((await open(next, old)).sealing(now).id).toBe(next.id);
  });
});

const stranger = MasterKey.random();
const keysOfStranger = { sealing: () => stranger, opening: () => [stranger] };

describe("a process that runs while the master key is rotated", () => {
  const project = (secrets: string, epoch = 1) => ({
    projects: [{ id: "shop", name: "Shop", allowedOrigins: [], gating: {}, epoch, secrets, createdAt: now }],
  });
  const rotate = (secrets: string) =>
    store.changeDirectory(() => ({ masterKeys: rotated, ...project(secrets) }));

  it("reads its source again and goes on with the new one, with the same secrets", async () => {
    const given = [old];
    const keys = await MasterKeys.open(store, async () => given, clock);
    const secrets = randomSecrets();
    await store.changeDirectory(() => project(sealSecrets(old, "shop", secrets)));
    const directory = new ProjectDirectory(store, keys);
    await directory.refresh();
    given.push(next);
    await rotate(sealSecrets(next, "shop", secrets));
    await directory.refresh();
    expect(keys.problem).toBeUndefined();
    expect(keys.sealing(now + pickUpInMs).id).toBe(next.id);
    expect(directory.project("shop")!.pepper.equals(secrets.pepper)).toBe(true);
  });

  it("says at each refresh that it lacks the new one, follows everything else, and opens no token in doubt", async () => {
    const given = [old];
    const keys = await MasterKeys.open(store, async () => given, clock);
    const secrets = randomSecrets();
    await store.changeDirectory(() => project(sealSecrets(old, "shop", secrets)));
    const directory = new ProjectDirectory(store, keys);
    await directory.refresh();
    await rotate(sealSecrets(next, "shop", secrets));
    const told = `rotated to ${next.id}, which this process does not have: give it the new key and restart it`;
    for (let refresh = 0; refresh < 2; refresh++) await expect(directory.refresh()).rejects.toThrow(told);
    await store.changeDirectory(([shop]) => ({ projects: [{ ...shop!, name: "Renamed" }] }));
    await expect(directory.refresh()).rejects.toThrow(told);
    expect(directory.project("shop")!.name).toBe("Renamed");
    const tokens = new ShowTokens(keys);
    const [mine] = tokens.seal("shop", issue, ["s"]);
    expect(tokens.open("shop", mine!, now).surveyId).toBe("s");
    const [others] = new ShowTokens(await open(next)).seal("shop", issue, ["s"]);
    expect(() => tokens.open("shop", others!, now)).toThrow(told);
    expect(() => keys.seal("shop", secrets)).toThrow(told);
    given.push(next);
    await directory.refresh();
    expect(tokens.open("shop", others!, now).surveyId).toBe("s");
  });

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

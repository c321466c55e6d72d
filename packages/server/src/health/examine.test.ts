import { describe, expect, it } from "vitest";
import { createApp } from "@afterword/reference-server/internal";
import { operatedService, type OperatedService } from "../administration/operated-service.ts";
import { openStore } from "../postgres/open-store.ts";
import { survey } from "../commands/afterword-server.fixture.ts";
import { shopKeys } from "../commands/shop.fixture.ts";
import { examineAddress, examineKeys, examineProjects, examineQueues } from "./examine.ts";

const now = Date.parse("2026-03-01T12:00:00.000Z");
const hour = 3_600_000;

async function serviceWith(projects: object[]) {
  const store = await openStore(":memory:");
  const config = { projects } as never;
  const { service: core } = await createApp({
    store,
    config,
    clock: { now: () => now },
    masterKey: new Uint8Array(32),
  });
  return { service: operatedService(core, store), [Symbol.asyncDispose]: () => store.close() };
}

const { publishable: publishableKey, secret: secretKey } = shopKeys;
const project = { id: "shop", name: "Shop", allowedOrigins: ["*"], publishableKey, secretKey };

describe("projects", () => {
  it("are reported as missing when there are none", async () => {
    await using world = await serviceWith([]);
    expect(examineProjects(world.service)).toEqual([
      { name: "projects", isGood: false, found: "none", advice: "Run: afterword-server project create ID" },
    ]);
  });

  it("without a valid key get the command that creates one", async () => {
    await using world = await serviceWith([{ ...project, surveys: [{ ...survey("a"), status: "active" }] }]);
    const { store, directory } = world.service;
    await store.changeDirectory(([shop]) => ({
      keys: shop!.keys.map((key) => (key.kind === "secret" ? { ...key, expiresAt: now - 1 } : key)),
    }));
    await directory.refresh();
    expect(examineProjects(world.service)).toMatchObject([
      { found: "no valid secret key", advice: "Run: afterword-server key create shop secret" },
    ]);
  });
});

describe("scopes of keys", () => {
  it.each([
    ["used for less than it allows", { scores: now - 1 }, 8 * 24, ["--scope scores"]],
    ["used for all that it allows", { mint: 1, scores: 1, privacy: 1 }, 8 * 24, []],
    ["never used", undefined, 8 * 24, []],
    ["too new to know its uses", { scores: now - 1 }, 6 * 24, []],
  ])("a secret key %s", async (_, uses, ageInHours, advice) => {
    await using world = await serviceWith([{ ...project, surveys: [] }]);
    const { store, directory } = world.service;
    const secret = directory.projects[0]!.keys.find(({ kind }) => kind === "secret")!;
    await store.changeDirectory(() => ({ keys: [{ ...secret, createdAt: now - ageInHours * hour }] }));
    if (uses) await store.administration.recordKeyUse(new Map([[secret.id, uses]]));
    await directory.refresh();
    const findings = examineKeys(world.service);
    expect(findings).toMatchObject(
      advice.map((text) => ({ isGood: true, found: expect.stringContaining(text) })),
    );
  });
});

describe("queues", () => {
  const queueOf = (ageInHours: number | undefined) => {
    const oldestPendingAt = ageInHours === undefined ? undefined : now - ageInHours * hour;
    const facts = [{ projectId: "shop", pending: 3, failed: 1, oldestPendingAt }];
    const administration = { queueFacts: async () => facts };
    return { clock: { now: () => now }, store: { administration } } as unknown as OperatedService;
  };

  it.each([
    [undefined, true],
    [23, true],
    [25, false],
  ])("whose oldest score has waited %s hours are good: %s", async (age, isGood) => {
    const [finding] = await examineQueues(queueOf(age));
    expect(finding).toMatchObject({ name: "queue of shop", isGood, found: "3 pending, 1 failed" });
  });
});

describe("the address of a running server", () => {
  const answering = (status: number, body: object, date = new Date(now).toUTCString()) =>
    (async () => new Response(JSON.stringify(body), { status, headers: { date } })) as typeof fetch;
  const ready = { status: "ready", proxies: "none seen" };

  it.each([
    [
      "its own time is right, whatever a proxy's Date says",
      { at: new Date(now).toISOString() },
      "2000",
      true,
    ],
    [
      "its own time is wrong",
      { at: new Date(now - 60_000).toISOString() },
      new Date(now).toUTCString(),
      false,
    ],
    ["the reply has no time at all", {}, "", false],
  ])("has a good clock where it is known to agree: %s", async (_, told, date, isGood) => {
    const findings = await examineAddress(
      "https://f.example",
      () => now,
      answering(200, { ...ready, ...told }, date),
    );
    const clock = findings.find(({ name }) => name === "server clock");
    expect(clock).toMatchObject({ isGood });
    expect(clock!.found === "agrees with this one").toBe(isGood);
  });

  it.each([
    ["is not ready", answering(503, {}), "server https://f.example"],
    ["has another time", answering(200, ready, new Date(now - 60_000).toUTCString()), "server clock"],
    [
      "writes no audit lines",
      answering(200, { ...ready, audit: "cannot be written" }),
      "audit of the server",
    ],
    ["ignores its proxy", answering(200, { ...ready, proxies: "untrusted" }), "proxies"],
  ])("gets advice when it %s", async (_, fetch, name) => {
    const findings = await examineAddress("https://f.example", () => now, fetch);
    const wrong = findings.filter(({ isGood }) => !isGood);
    expect(wrong.map((finding) => finding.name)).toEqual([name]);
    expect(wrong[0]!.advice).toBeTruthy();
  });
});

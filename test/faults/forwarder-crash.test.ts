import { describe, expect, it } from "vitest";
import type { CrashPoint } from "./forwarder-program.ts";
import { ForwarderWorld } from "./forwarder-world.ts";
import { isFullProof, proofScale } from "./proof-scale.ts";
import { seededRandom } from "./seeded-random.ts";

/** The suite crashes a few forwarders; `pnpm --filter @afterword/test crash` crashes hundreds. */
const crashes = Number(process.env["AFTERWORD_CRASHES"] ?? 4);
const rows = 60;
const restarts = proofScale({ quick: 2, full: 100 });

const points: CrashPoint[] = ["after poll", "before sink", "after sink", "before ack", "after ack"];

async function expectNothingLost(world: ForwarderWorld, ids: string[], killed: number) {
  expect(await world.waiting()).toEqual([]);
  expect([...world.stored.keys()].toSorted()).toEqual(ids.toSorted());
  const times = Map.groupBy(world.pushes, (id) => id);
  for (const pushes of times.values()) expect(pushes.length).toBeLessThanOrEqual(1 + killed);
}

describe("a forwarder that is killed loses nothing, and what is pushed again is absorbed by its id", () => {
  it.each(points)("killed %s", async (point) => {
    await using world = await ForwarderWorld.start();
    const ids = await world.rate(rows);
    // A poll gives 20 rows here, and an acknowledgement takes up to 200.
    const amid = point.endsWith("sink") ? 25 : 2;
    let killed = 0;
    for (const occurrence of isFullProof ? [1, amid] : [amid]) {
      const end = await world.forward({ point, occurrence }).ended;
      if (end === "killed") killed += 1;
    }
    expect(killed).toBeGreaterThanOrEqual(1);
    expect(await world.forward().ended).toBe("drained");
    await expectNothingLost(world, ids, killed);
  });

  it("killed again and again at random", { timeout: 60_000 + crashes * 5000 }, async () => {
    const next = seededRandom(20_261_121);
    await using world = await ForwarderWorld.start();
    const ids: string[] = [];
    let killed = 0;
    // A forwarder that has pushed all there was before its time came was not killed, and is not counted.
    while (killed < crashes) {
      ids.push(...(await world.rate(10)));
      const forwarder = world.forward();
      let pushesLeft = Math.floor(next() * 14);
      world.onPush = () => {
        if (pushesLeft === 0) forwarder.kill();
        pushesLeft -= 1;
      };
      if ((await forwarder.ended) === "killed") killed += 1;
    }
    world.onPush = () => undefined;
    expect(await world.forward().ended).toBe("drained");
    await expectNothingLost(world, ids, killed);
    const again = world.pushes.length - ids.length;
    console.info(`${killed} crashes: ${ids.length} rows delivered, none lost, ${again} pushes were repeated`);
  });

  it("two at once, one of them killed, share the queue without losing a row", async () => {
    await using world = await ForwarderWorld.start();
    const ids = await world.rate(rows);
    const [dying, living] = [world.forward({ point: "after sink", occurrence: 10 }), world.forward()];
    await Promise.all([dying.ended, living.ended]);
    await world.forward().ended;
    expect(await world.waiting()).toEqual([]);
    expect([...world.stored.keys()].toSorted()).toEqual(ids.toSorted());
  });

  it("restarts that overlap push each score once, unless one was killed", { timeout: 600_000 }, async () => {
    await using world = await ForwarderWorld.start();
    const ids: string[] = [];
    const running = [world.work(), world.work()];
    for (let restart = 0; restart < restarts; restart += 1) {
      ids.push(...(await world.rate(20)));
      // As a rolling update does: the new one starts before the old one is asked to stop.
      running.push(world.work());
      const old = running.shift()!;
      old.stop();
      expect(await old.ended).toBe("drained");
    }
    await expect.poll(() => world.waiting(), { timeout: 60_000 }).toEqual([]);
    for (const forwarder of running) forwarder.stop();
    for (const forwarder of running) expect(await forwarder.ended).toBe("drained");
    expect(world.pushes.toSorted()).toEqual(ids.toSorted());
  });
});

import type { DiskImage } from "../faults/disk-image.ts";
import { oneOf, type Act } from "./act.ts";
import { disk } from "./simulated-sqlite.ts";
import { inProcess, randomFor } from "./scheduler.ts";
import { calm, type Weather } from "./network.ts";
import { burst, erase, visit } from "./people.ts";
import { dayInMs } from "./surveys.ts";
import type { World } from "./world.ts";

/** Of a person's clock: from three hours behind to three hours ahead. */
export const longestJumpInMs = 6 * 3_600_000;

function restartService(world: World, inMs: number): void {
  world.scheduler.later(inMs, () => world.service.process ?? world.startService(), undefined);
}

const killService: Act = (world, random) => {
  if (!world.service.process) return;
  world.service.kill();
  world.note("server is killed");
  restartService(world, 200 + random() * 15_000);
};

/** Now, or in the middle of the next commit. */
const losePower: Act = (world, random) => {
  const restartInMs = 1000 + random() * 15_000;
  const lose = (left?: DiskImage) => {
    world.service.losePower(left);
    world.note(`the server's machine loses power${left ? " in a commit" : ""}`);
    restartService(world, restartInMs);
  };
  if (random() < 0.5) lose();
  else disk.onNextCommit = (left) => inProcess.exit(() => lose(left));
};

const killForwarder: Act = (world, random) => {
  const forwarder = oneOf(world.forwarders, random);
  if (!forwarder || forwarder.process.isDead) return;
  forwarder.process.kill();
  world.forwarders = world.forwarders.filter((other) => other !== forwarder);
  world.note(`${forwarder.process.name} is killed`);
  world.scheduler.later(random() * 20_000, () => world.startForwarder(forwarder.isSingleRun), undefined);
};

const updateForwarder: Act = (world, random) => {
  const forwarder = oneOf(world.forwarders, random);
  if (forwarder) world.replaceForwarder(forwarder);
};

/** As cron does it. */
const runForwarderOnce: Act = (world) => world.startForwarder(true);

/** A new secret key is created and handed out, and the old one revoked. */
async function replaceSecretKey(world: World, handOutInMs: number, revokeInMs: number): Promise<void> {
  const { keys, scheduler, service } = world;
  const pause = (inMs: number) => new Promise<void>((resolve) => void scheduler.later(inMs, resolve));
  try {
    const key = await service.createSecretKey();
    keys.created(key);
    await pause(handOutInMs);
    const old = keys.current;
    keys.current = key;
    world.note("a new secret key is handed out");
    for (const forwarder of world.forwarders) world.replaceForwarder(forwarder);
    await pause(revokeInMs);
    keys.revoking(old);
    await service.revokeSecretKey(old);
    keys.revoked(old);
    world.note("the old secret key is revoked");
  } catch (error) {
    world.note(`rotation of the secret key failed: ${String(error)}`);
  }
}

const rotateSecretKey: Act = (world, random) => {
  void inProcess.exit(() => replaceSecretKey(world, random() * 20_000, 20_000 + random() * 60_000));
};

const rotate: Act = (world) => {
  world.service.rotateMasterKey().then(
    () => world.note("master key is rotated"),
    (error: unknown) => world.note(`rotation failed: ${String(error)}`),
  );
};

const moveServiceClock: Act = (world, random) => {
  const byInMs = Math.round((random() - 0.4) * 4 * 3_600_000);
  if (byInMs < 0) world.context.wasSetBack = true;
  world.service.moveClock(byInMs);
  world.note(`the service's clock jumps by ${byInMs} ms`);
};

const moveDeviceClock: Act = (world, random) => {
  const { device } = oneOf(world.people, random);
  device.clockOffsetInMs = Math.round((random() - 0.5) * longestJumpInMs);
  device.hasJumped = true;
  world.note(`the clock of ${device.name} is ${device.clockOffsetInMs} ms ahead`);
};

const fillDisk: Act = (world, random) => {
  disk.room = Math.floor(random() * 5);
  world.note(`the disk has room for ${disk.room} more commits`);
  world.scheduler.later(random() * 20_000, () => (disk.room = Infinity), undefined);
};

const changeWeather: Act = (world, random) => {
  const upTo = (most: number) => (random() < 0.4 ? 0 : random() * most);
  const bad: Weather = {
    loseRequest: upTo(0.4),
    loseReply: upTo(0.4),
    repeat: upTo(0.3),
    cut: upTo(0.1),
    delay: upTo(0.3),
  };
  world.network.weather = random() < 0.3 ? calm : bad;
  for (const sink of world.sinks) sink.temper = { fail: upTo(0.4), limit: upTo(0.3), slow: upTo(0.2) };
  world.note("the weather changes");
};

/** Everything is off for a while, such as over a weekend: nothing runs meanwhile. */
const weekend: Act = (world, random) => {
  for (const { page } of world.visits) page.process.kill();
  for (const { process } of world.forwarders) process.kill();
  world.service.kill();
  world.scheduler.leap(Math.round((0.2 + random() * 4) * dayInMs));
  world.note("everything was off for a while");
  world.startService();
  const before = world.forwarders;
  world.forwarders = [];
  for (const { isSingleRun } of before) world.startForwarder(isSingleRun);
};

const always: [Act, number][] = [
  [visit, 60],
  [burst, 14],
  [updateForwarder, 3],
  [runForwarderOnce, 2],
  [rotateSecretKey, 0.6],
];
const inBadWorlds: [Act, number][] = [
  ...always,
  [killService, 3],
  [losePower, 2],
  [killForwarder, 4],
  [erase, 4],
  [rotate, 0.4],
  [moveServiceClock, 0.6],
  [moveDeviceClock, 1],
  [fillDisk, 1.5],
  [changeWeather, 5],
  [weekend, 0.5],
];

/** Lets the actions happen one after the other, those that are wanted. */
export function act(world: World, count: number, isWanted: (number: number) => boolean): void {
  const acts = world.isCalm ? always : inBadWorlds;
  const total = acts.reduce((sum, [, weight]) => sum + weight, 0);
  const next = (number: number) => {
    const random = randomFor(world.seed, "action", number);
    const delayInMs = random() * 2500;
    world.scheduler.later(
      delayInMs,
      () => {
        let place = random() * total;
        const [chosen] = acts.find(([, weight]) => (place -= weight) < 0)!;
        if (isWanted(number)) {
          world.acted(number, chosen.name);
          chosen(world, random);
        }
        if (number + 1 < count) next(number + 1);
        else world.hasActed = true;
      },
      undefined,
    );
  };
  inProcess.exit(() => next(0));
}

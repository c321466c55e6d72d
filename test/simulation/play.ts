import { act, longestJumpInMs } from "./actions.ts";
import { calm } from "./network.ts";
import { checkSent } from "./page-rules.ts";
import { RuleBroken } from "./rule-broken.ts";
import { mendDisk } from "./simulated-sqlite.ts";
import { checkQueue, checkRest } from "./state-rules.ts";
import { World } from "./world.ts";

/** What came of one world. */
export interface Played {
  seed: string;
  steps: number;
  broken: RuleBroken | undefined;
  /** The history, one line per event. */
  lines: readonly string[];
  /** Numbers of the actions that happened. */
  actions: readonly number[];
}

const minuteInMs = 60_000;
/** The actions of one world; more of them go into the next one, since a database that grows slows each step. */
const actionsPerWorld = 150;
const mostSteps = 400_000;

/** Lets everything come to rest: nothing fails any more, and each person opens their page again. */
async function comeToRest(world: World): Promise<void> {
  const { network, scheduler, service, sinks } = world;
  network.weather = calm;
  for (const sink of sinks) sink.temper = { fail: 0, limit: 0, slow: 0 };
  mendDisk();
  if (!service.process) world.startService();
  await world.runUntil(() => service.isUp, minuteInMs);
  await world.runUntil(() => world.erasing === 0, 60 * minuteInMs);
  if (world.erasing > 0 && !world.broken)
    throw new RuleBroken("an erasure ends once nothing fails", `${world.erasing} are under way`);
  await sendAll(world);
  await deliverAll(world);
  checkQueue(world);
  if (world.people.every(({ device }) => !device.hasJumped)) return;
  // What waits for a moment of a clock that was ahead waits for as much longer.
  scheduler.leap(longestJumpInMs);
  await deliverAll(world);
}

/** Each person opens their page beside those that are open: none of these may keep the others from sending. */
async function sendAll(world: World): Promise<void> {
  // Once more after a minute: a request of a page that was open, and hears nothing, is given up meanwhile.
  for (let round = 0; round < 2; round++) {
    for (const person of world.people) world.openVisit(person);
    await world.runUntil(() => false, minuteInMs);
  }
  checkSent(world);
}

/** Each person opens their page again, and the forwarders empty the queue and stop. */
async function deliverAll(world: World): Promise<void> {
  for (const { page } of world.visits) page.process.kill();
  for (const person of world.people) world.openVisit(person);
  if (world.endsInSingleRun) stopForwarders(world);
  else if (world.forwarders.every(({ isSingleRun }) => isSingleRun)) world.startForwarder();
  // Longer than a lease, which counts for ten minutes where a clock was set back, and than the longest pause of a forwarder.
  await world.runUntil(() => false, (world.context.wasSetBack ? 11 : 6) * minuteInMs);
  if (world.endsInSingleRun) {
    world.startForwarder(true);
    await world.runUntil(() => world.forwarders.length === 0, 6 * minuteInMs);
  }
  const endless = world.forwarders.find(({ isSingleRun }) => isSingleRun);
  if (endless && !world.broken)
    throw new RuleBroken("a single run ends once nothing fails", endless.process.name);
  stopForwarders(world);
  await world.runUntil(() => false, minuteInMs / 4);
}

function stopForwarders(world: World): void {
  const stopping = world.forwarders;
  world.forwarders = [];
  for (const forwarder of stopping) world.stopInTime(forwarder);
}

/**
 * Plays one world to its end, or until a rule breaks.
 * @param wish `kept`: only these of its actions happen
 */
export async function play(seed: string, wish: { kept?: ReadonlySet<number> } = {}): Promise<Played> {
  const world = new World(seed);
  try {
    await world.runUntil(() => world.service.isUp, minuteInMs);
    act(world, actionsPerWorld, (number) => wish.kept?.has(number) ?? true);
    await world.runUntil(() => world.hasActed || world.scheduler.steps > mostSteps, Infinity);
    if (!world.broken) await comeToRest(world);
    if (!world.broken) checkRest(world);
  } catch (error) {
    if (!(error instanceof RuleBroken)) throw error;
    world.broken ??= error;
  } finally {
    world.dispose();
  }
  const { broken, lines, actions, scheduler } = world;
  return { seed, steps: scheduler.steps, broken, lines, actions };
}

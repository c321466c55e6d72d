import { act } from "./actions.ts";
import { calm } from "./network.ts";
import { RuleBroken } from "./rule-broken.ts";
import { inProcess } from "./scheduler.ts";
import { disk } from "./simulated-sqlite.ts";
import { checkRest } from "./state-rules.ts";
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
  const { network, scheduler, service, sink } = world;
  network.weather = calm;
  sink.temper = { fail: 0, limit: 0, slow: 0 };
  disk.isFull = false;
  if (!service.process) world.startService();
  await world.runUntil(() => service.isUp, minuteInMs);
  await world.runUntil(() => world.erasing === 0, 60 * minuteInMs);
  for (const { page } of world.visits) page.process.kill();
  for (const person of world.people) world.openVisit(person);
  const rested = scheduler.now + 3 * minuteInMs;
  await world.runUntil(() => scheduler.now > rested, 4 * minuteInMs);
  if (world.erasing > 0) throw new RuleBroken("an erasure ends once nothing fails", `${world.erasing} are under way`);
  await drain(world);
}

/** Every run of a forwarder ends, and one that meets no failure empties the queue. */
async function drain(world: World): Promise<void> {
  const stopping = world.forwarders;
  world.forwarders = [];
  for (const forwarder of stopping) world.stopInTime(forwarder);
  await world.runUntil(() => false, 12_000);
  // Leases of killed forwarders end.
  await world.runUntil(() => false, 5 * minuteInMs);
  world.startForwarder();
  const [last] = world.forwarders;
  let isOver = false;
  await inProcess.exit(() => world.runUntil(() => false, 2 * minuteInMs));
  world.forwarders = [];
  void last!.do((one) => one.stop()).then(() => (isOver = true));
  if (!(await world.runUntil(() => isOver, minuteInMs)) && !world.broken)
    throw new RuleBroken("every run of a forwarder ends", last!.process.name);
}

/** Plays one world to its end, or until a rule breaks. */
export async function play(seed: string, leftOut: ReadonlySet<number> = new Set()): Promise<Played> {
  const world = new World(seed);
  try {
    await world.runUntil(() => world.service.isUp, minuteInMs);
    act(world, actionsPerWorld, leftOut);
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

import { parseArgs } from "node:util";
import { findFaults } from "./find-faults.ts";
import { FaultNotPlanted, hookLoading } from "./load-hooks.ts";
import { replaceGlobals } from "./own-the-clock.ts";
import { plantedFaults } from "./planted-faults.ts";
import { parseSeed, versionOfSimulation, type Seed } from "./seed.ts";

const usage =
  "Usage: simulate [--seed N] [--steps M] [--fault NAME] [--seconds S] [--history], or simulate --faults [--jobs N]";

class UsageError extends Error {}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,11}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is ${text}; it must be a whole number from 1.`);
}

function readArguments() {
  const options = {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "100000" },
    seconds: { type: "string" },
    fault: { type: "string" },
    faults: { type: "boolean", default: false },
    jobs: { type: "string", default: "1" },
    history: { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ options, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split("\n")[0]} ${usage}`);
  }
}

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** On standard error, so that standard output is the same for the same seed. */
const reportTime = () => console.error(`${cpuSeconds().toFixed(1)} s of processor time`);

interface Order {
  seed: Seed;
  steps: number;
  /** Of this process's processor time. */
  seconds: number;
  isHistoryPrinted: boolean;
}

/** Plays world after world until there were so many steps, or one breaks a rule. Returns the exit code. */
async function simulate({ seed, steps, seconds, isHistoryPrinted }: Order): Promise<number> {
  const { play } = await import("./play.ts");
  const { shrunk } = await import("./shrink.ts");
  let done = 0;
  let worlds = 0;
  for (let world = seed.world ?? 0; done < steps && cpuSeconds() < seconds; world++) {
    const played = await play(`${seed.number}/${world}`);
    done += played.steps;
    worlds += 1;
    if (isHistoryPrinted) console.log(played.lines.join("\n"));
    if (played.broken) {
      reportTime();
      console.log(`Broken after ${done} steps: ${played.broken.message}`);
      console.log(`Repeat this world alone: --seed ${played.seed}@${versionOfSimulation()}`);
      if (!isHistoryPrinted) console.log((await shrunk(played)).join("\n"));
      return 1;
    }
    if (seed.world !== undefined) break;
  }
  reportTime();
  console.log(`No rule is broken in ${done} steps of ${worlds} worlds.`);
  return 0;
}

async function run(): Promise<number> {
  const given = readArguments();
  if (given.faults) return findFaults(wholeNumber("jobs", given.jobs));
  const seed = parseSeed(given.seed);
  if (typeof seed === "string") throw new UsageError(seed);
  const fault = plantedFaults.find(({ name }) => name === given.fault);
  if (given.fault !== undefined && !fault) {
    const names = plantedFaults.map(({ name }) => name).join(", ");
    throw new UsageError(`There is no fault ${given.fault}. The faults are: ${names}.`);
  }
  const steps = wholeNumber("steps", given.steps);
  const seconds = given.seconds === undefined ? Infinity : wholeNumber("seconds", given.seconds);
  replaceGlobals();
  hookLoading(fault);
  return simulate({ seed, steps, seconds, isHistoryPrinted: given.history });
}

try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof FaultNotPlanted)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { plantedFaults } from "./planted-faults.ts";

const secondsPerFault = 120;
/** Of the clock on the wall, for a fault that never lets the process come to an end. */
const mostWaitInMs = 15 * 60_000;

interface Found {
  isFound: boolean;
  outcome: string;
}

const main = fileURLToPath(new URL("main.ts", import.meta.url));

/** Looks for one fault in a process of its own, for two minutes of its processor time. */
function find(name: string): Promise<Found> {
  const args = [main, "--fault", name, "--steps", "100000000", "--seconds", String(secondsPerFault)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  let errors = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  const late = setTimeout(() => child.kill("SIGKILL"), mostWaitInMs);
  return new Promise((resolve) =>
    child.once("close", (code) => {
      clearTimeout(late);
      const isFound = code === 1 && text.startsWith("Broken");
      const [line = ""] = text.split("\n", 1);
      // The time, or what kept it from playing.
      const [error = ""] = errors.split("\n", 1);
      resolve({ isFound, outcome: `${error}: ${line}`.slice(0, 160) });
    }),
  );
}

/** Looks for each planted fault and lists what came of it. Returns the exit code. */
export async function findFaults(jobs: number): Promise<number> {
  const waiting = [...plantedFaults];
  let count = 0;
  let isExplained = true;
  const work = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const { name, whyMissed } = fault;
      const { isFound, outcome } = await find(name);
      if (isFound) count += 1;
      else isExplained &&= whyMissed !== undefined;
      const reason = isFound ? "" : ` ${whyMissed ?? "No reason is known."}`;
      console.log(`${isFound ? "found " : "missed"} ${name}: ${outcome}${reason}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  console.log(`${count} of ${plantedFaults.length} faults are found.`);
  return isExplained ? 0 : 1;
}

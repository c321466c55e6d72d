import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const built = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A running `afterword-server dev` of the build. */
export interface Dev {
  child: ChildProcess;
  url: string;
  publishableKey: string;
  secretKey: string;
}

/** Starts it with its data in a folder. Scores stay in the queue, for the forwarder. */
export async function startDev(folder: string): Promise<Dev> {
  const flags = ["dev", "--json", "--no-forward", "--port", "0", "--folder", folder];
  const child = spawnNode(built("packages/server/dist/cli.js"), flags, {});
  const lines = createInterface({ input: child.stdout! });
  const [line] = await Promise.race([once(lines, "line"), once(child, "exit")]);
  if (typeof line !== "string") throw new Error(`afterword-server dev ended with exit code ${line}.`);
  const dev = { child, ...(JSON.parse(line) as Omit<Dev, "child">) };
  await askAboutEachRun(dev);
  return dev;
}

/** Its surveys ask a person once; those of the demo ask about each run, once. */
async function askAboutEachRun({ url }: Dev): Promise<void> {
  const { surveys } = (await (await fetch(`${url}/dev/data/project`)).json()) as { surveys: object[] };
  for (const [index, survey] of surveys.entries()) {
    const body = JSON.stringify({ ...survey, askAgain: { eachRun: true } });
    const reply = await fetch(`${url}/dev/data/surveys/${index}`, { method: "PUT", body });
    if (!reply.ok) throw new Error(`A survey was refused: ${await reply.text()}`);
  }
}

/** The built forwarder program. With the publishable key it looks up the type of each survey. */
export function startForwarder({ url, secretKey, publishableKey }: Dev, sink: string[]): ChildProcess {
  const flags = ["forward", "--base-url", url, "--json", ...sink];
  const environment = { AFTERWORD_SECRET_KEY: secretKey, AFTERWORD_PUBLISHABLE_KEY: publishableKey };
  const child = spawnNode(built("packages/node/dist/cli.js"), flags, environment, "pipe");
  // The demo prints only one address, the one to open.
  createInterface({ input: child.stderr! }).on("line", (line) => {
    if (!line.startsWith("forwarding scores from")) console.error(line);
  });
  return child;
}

function spawnNode(
  program: string,
  flags: string[],
  environment: Record<string, string>,
  errors: "inherit" | "pipe" = "inherit",
): ChildProcess {
  return spawn(process.execPath, [program, ...flags], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", errors],
  });
}

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const built = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The folder with the built script tag and its other files. */
export const browserBuild = built("packages/browser/dist");

/** The built reference server, ready once it has printed its line. */
export async function startReferenceServer(flags: string[]) {
  const child = spawnNode(
    built("reference-server/dist/cli.js"),
    ["serve", "--json", "--log-level", "warn", ...flags],
    {},
  );
  const lines = createInterface({ input: child.stdout! });
  const line = await Promise.race([once(lines, "line"), once(child, "exit")]);
  if (typeof line[0] !== "string") throw new Error(`The reference server ended with exit code ${line[0]}.`);
  const { url, projects } = JSON.parse(line[0]) as {
    url: string;
    projects: { publishableKey: string; secretKey?: string }[];
  };
  const [{ publishableKey, secretKey } = { publishableKey: "", secretKey: undefined }] = projects;
  if (!secretKey) throw new Error("The demo needs a database of its own: the secret key is shown only once.");
  return { child, url, publishableKey, secretKey };
}

/** The built forwarder program. With the publishable key it looks up the type of each survey. */
export function startForwarder(
  baseUrl: string,
  keys: { secretKey: string; publishableKey: string },
  sink: string[],
): ChildProcess {
  const flags = ["forward", "--base-url", baseUrl, "--json", ...sink];
  const environment = {
    AFTERWORD_SECRET_KEY: keys.secretKey,
    AFTERWORD_PUBLISHABLE_KEY: keys.publishableKey,
  };
  const child = spawnNode(built("packages/node/dist/cli.js"), flags, environment, "pipe");
  // The demo prints only one address, the one to open.
  createInterface({ input: child.stderr! }).on("line", (line) => {
    if (!line.startsWith("forwarding scores from")) console.error(line);
  });
  return child;
}

/** Serves the page of results on loopback. */
export async function startResults(database: string, project: string) {
  const flags = ["results", "--project", project, "--db", database, "--open"];
  const child = spawnNode(built("reference-server/dist/cli.js"), flags, {}, "pipe");
  // Discards its audit lines: a full pipe would block it.
  child.stderr!.resume();
  const lines = createInterface({ input: child.stdout! });
  const [line] = await Promise.race([once(lines, "line"), once(child, "exit")]);
  const url = /http:\S+/.exec(String(line))?.[0];
  if (!url) throw new Error(`The page of results ended with exit code ${line}.`);
  return { child, url };
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

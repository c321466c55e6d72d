import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { filledIn, firstExample, type Known } from "./first-examples.ts";
import { type PackageManager } from "./package-managers.ts";

/** A project in which all packages are installed. */
export interface Project {
  folder: string;
  manager: PackageManager;
  environment: NodeJS.ProcessEnv;
}

export function start({ folder, environment }: Project, [command, ...words]: string[]): ChildProcess {
  return spawn(command!, words, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs a command to its end. @throws Error with its output, unless it ends with 0 */
export async function finish(project: Project, words: string[]): Promise<string> {
  const child = start(project, words);
  const [out, error, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "close"),
  ]);
  if (code !== 0)
    throw new Error(
      `${words.join(" ").slice(0, 200)} ended with ${code}:\n${out.slice(-2000)}${error.slice(-2000)}`,
    );
  return out;
}

/** `afterword-server dev` of the server's README, on a free port. */
export async function startDev(project: Project) {
  const [words] = firstExample("packages/server", ["sh"]).replaceAll(/ *#.*/g, "").trim().split("\n");
  const child = start(
    project,
    project.manager.run(...words!.split(" "), "--json", "--port", "0", "--no-forward"),
  );
  const errors = text(child.stderr!);
  const lines = createInterface(child.stdout!);
  const [line] = await Promise.race([once(lines, "line"), once(child, "close")]);
  if (typeof line !== "string" || !line.startsWith("{"))
    throw new Error(`\`${words}\` did not start: ${await errors}`);
  const { url, publishableKey, secretKey } = JSON.parse(line) as {
    url: string;
    publishableKey: string;
    secretKey: string;
  };
  // The package manager passes the signal on.
  const stop = async () => {
    child.kill("SIGTERM");
    await once(child, "close");
  };
  return { known: { baseUrl: url, publishableKey, secretKey }, stop };
}

/** A sink that takes what Phoenix takes. */
async function startSink(): Promise<{ url: string; sessions: string[]; server: Server }> {
  const sessions: string[] = [];
  const server = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request)) as { data: { session_id: string }[] };
    sessions.push(...data.map(({ session_id }) => session_id));
    const accepted = JSON.stringify({ data: data.map((_, index) => ({ id: `annotation-${index}` })) });
    response.setHeader("content-type", "application/json").end(accepted);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sessions, server };
}

/** From the settings to a score at the sink, by the commands of Node's README. A person answers in a terminal. */
export async function runNodeExample(project: Project, known: Omit<Known, "sinkUrl">): Promise<void> {
  const sink = await startSink();
  const commands = filledIn(firstExample("packages/node", ["sh"]), { ...known, sinkUrl: sink.url });
  const quoted = project.manager
    .run()
    .map((word) => `'${word}'`)
    .join(" ");
  const script = commands
    .replaceAll(/^npm i .*$/gm, "")
    .replaceAll(
      /^npx (afterword ask[^#\n]*).*$/gm,
      (_, ask) => `printf '5\\r\\r' | script --quiet --return --command "${quoted} ${ask}" /dev/null`,
    )
    .replaceAll(/\bnpx (?=afterword)/g, `${quoted} `);
  try {
    await finish(project, ["bash", "-euo", "pipefail", "-c", script]);
  } catch (error) {
    const place = `packages/node/README.md, first example with ${project.manager.name}`;
    throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
  } finally {
    sink.server.close();
  }
  if (!sink.sessions.includes("my-session"))
    throw new Error("The rating of packages/node/README.md did not reach the sink.");
}

/** `npm create` of its README, for an app that finds the running server. Another test runs and rates what it writes. */
export async function runCreateExample(project: Project, known: Omit<Known, "sinkUrl">): Promise<void> {
  const [, ...words] = firstExample("packages/create-afterword", ["sh"]).trim().split(" ");
  const { port } = new URL(known.baseUrl);
  // Beside the project: Yarn refuses a project inside another one.
  const folder = `${project.folder}-created`;
  mkdirSync(folder);
  const create = project.manager.create(...words.slice(1), "--no-start", "--dev-port", port);
  await finish({ ...project, folder }, create);
  const written = globSync("*/.env*", { cwd: folder }).map((path) =>
    readFileSync(join(folder, path), "utf8"),
  );
  if (!written.some((text) => text.includes(known.secretKey)))
    throw new Error(
      "packages/create-afterword/README.md: the app that its first example writes lacks the keys.",
    );
}

/** The command of the README, without a server. */
export async function runConformanceExample(project: Project): Promise<void> {
  const example = firstExample("packages/conformance", ["sh"]).replaceAll(/ *#.*/g, "").trim();
  await finish(project, project.manager.run(...example.split(" ").slice(1)));
}

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
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
  const [words] = firstExample("reference-server", ["sh"]).replaceAll(/ *#.*/g, "").trim().split("\n");
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

/** What a page loads: all files of `dist`, wherever the package manager keeps them. */
const copyWidget = `
const { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const copy = (from, to) => {
  if (!statSync(from).isDirectory()) return writeFileSync(to, readFileSync(from));
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) copy(join(from, name), join(to, name));
};
copy(dirname(require.resolve("@afterword/browser/afterword.js")), "site");`;

/** The component of React's README, with what its text says that \`user\` and \`run\` are. */
function reactEntry(code: string): string {
  const [before, ...element] = code.split(/^(?=<AfterwordProvider)/m);
  return `import { createRoot } from "react-dom/client";
    const user = { id: "me" }, run = null;
    ${before}
    createRoot(document.querySelector("main")).render(${element.join("")});`;
}

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

async function serveSite(folder: string) {
  const server = createServer((request, response) => {
    const path = join(folder, new URL(request.url!, "http://localhost").pathname);
    try {
      response
        .setHeader("content-type", types[extname(path)] ?? "application/octet-stream")
        .end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "localhost");
  await once(server, "listening");
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, server };
}

/** Opens both pages in a real Chromium: each asks the service for its surveys and complains about nothing. */
export async function runPageExamples(project: Project, known: Omit<Known, "sinkUrl">): Promise<void> {
  const site = join(project.folder, "site");
  writeFileSync(join(project.folder, "copy-widget.cjs"), copyWidget);
  await finish(project, project.manager.node("copy-widget.cjs"));
  const fill = (folder: string, language: string) =>
    filledIn(firstExample(folder, [language]), { ...known, sinkUrl: "" });
  writeFileSync(
    join(site, "browser.html"),
    `<!doctype html><link rel="icon" href="data:,">${fill("packages/browser", "html")}`,
  );
  writeFileSync(
    join(site, "react.html"),
    '<!doctype html><link rel="icon" href="data:,"><main></main><script type="module" src="/react.js"></script>',
  );
  mkdirSync(join(project.folder, "src"), { recursive: true });
  writeFileSync(join(project.folder, "src/react.tsx"), reactEntry(fill("packages/react", "tsx")));
  await build({
    absWorkingDir: project.folder,
    entryPoints: ["src/react.tsx"],
    outdir: "site",
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    logLevel: "error",
  });
  const { url, server } = await serveSite(site);
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
  try {
    for (const name of ["browser", "react"]) {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      const bootstrap = page.waitForResponse((response) => response.url().includes("/v1/sdk/bootstrap"), {
        timeout: 20_000,
      });
      bootstrap.catch(() => undefined);
      await page.goto(`${url}/${name}.html`);
      const status = await bootstrap.then(
        (response) => response.status(),
        () => 0,
      );
      if (status !== 200 || complaints.length > 0)
        throw new Error(
          `The page of packages/${name}/README.md got ${status || "no reply"} from the service. ${complaints.join("; ")}`,
        );
      await page.close();
    }
  } finally {
    await browser.close();
    server.close();
  }
}

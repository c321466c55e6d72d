import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { chromium, type Page } from "playwright-core";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { filledIn, firstExample, type Known } from "./first-examples.ts";
import { finish, type Project } from "./run-first-examples.ts";

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

/** What the example of React's README renders, which is the reader's own: thumbs for one run. */
const chat = `import { Thumbs, useAfterword } from "@afterword/react";
import { useEffect, useState } from "react";
export const Chat = () => {
  const visitor = useAfterword().respondent()?.id;
  const [run, setRun] = useState(null);
  useEffect(() => void mint(visitor).then(setRun), [visitor]);
  return <Thumbs run={run} surveyId="answer" />;
};`;

/** Bundles that example as Vite would, with the keys in its variables. */
async function bundleReact(
  { folder }: Project,
  { publishableKey, baseUrl }: Omit<Known, "sinkUrl">,
): Promise<void> {
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "src/react.tsx"), firstExample("packages/react", ["tsx"]));
  writeFileSync(join(folder, "src/chat.tsx"), chat);
  const variables = { VITE_AFTERWORD_KEY: publishableKey, VITE_AFTERWORD_BASE_URL: baseUrl };
  await build({
    absWorkingDir: folder,
    entryPoints: ["src/react.tsx"],
    outdir: "site",
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    define: { "import.meta.env": JSON.stringify(variables) },
    logLevel: "silent",
  });
}

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** Without an icon a browser asks for one, and the console has a 404. */
const head = '<!doctype html><link rel="icon" href="data:,">';

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

/** What a reader's server does once a run has ended. */
async function mint({ baseUrl, secretKey }: Omit<Known, "sinkUrl">, respondentId: string) {
  const sessionId = crypto.randomUUID();
  const headers = { "content-type": "application/json", "authorization": `Bearer ${secretKey}` };
  const body = JSON.stringify({ respondentId, sessionId });
  const reply = await fetch(`${baseUrl}/v1/sdk/tokens`, { method: "POST", headers, body });
  const { tokens } = (await reply.json()) as { tokens: Record<string, string> };
  return { tokens, sessionId };
}

/** As the README's page goes on after a task. */
const askAfterTask = `mint(afterword("respondent").id).then(({ tokens, sessionId }) => {
  afterword("install", { surveyId: "satisfaction", token: tokens.satisfaction, sessionId });
  afterword("ask", "satisfaction");
})`;

/** Opens a page of the site and waits for the question that it asks. @throws Error with what the browser complained about */
async function seeQuestion(page: Page, url: string, known: Omit<Known, "sinkUrl">): Promise<void> {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.exposeFunction("mint", (respondentId: string) => mint(known, respondentId));
  const isBrowser = url.endsWith("/browser.html");
  const question = isBrowser
    ? page.locator("legend", { hasText: "How well did the agent do this task?" })
    : page.locator("afterword-thumbs[token]").getByRole("button", { name: "Good answer" });
  try {
    await page.goto(url);
    if (isBrowser) {
      await page.waitForFunction("'isOpen' in afterword");
      await page.evaluate(askAfterTask);
    }
    await question.waitFor({ timeout: 20_000 });
  } catch (error) {
    complaints.push((error as Error).message);
  }
  if (complaints.length > 0) throw new Error(complaints.join("; "));
}

/** Opens both pages in a real Chromium: each shows its question and complains about nothing. */
export async function runPageExamples(project: Project, known: Omit<Known, "sinkUrl">): Promise<void> {
  const site = join(project.folder, "site");
  writeFileSync(join(project.folder, "copy-widget.cjs"), copyWidget);
  await finish(project, project.manager.node("copy-widget.cjs"));
  const page = filledIn(firstExample("packages/browser", ["html"]), { ...known, sinkUrl: "" });
  writeFileSync(join(site, "browser.html"), `${head}${page}`);
  // The page that the example's index.html of Vite is.
  const react = '<div id="root"></div><script type="module" src="/react.js"></script>';
  writeFileSync(join(site, "react.html"), `${head}${react}`);
  await bundleReact(project, known);
  const { url, server } = await serveSite(site);
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
  try {
    for (const name of ["browser", "react"]) {
      const page = await browser.newPage();
      await seeQuestion(page, `${url}/${name}.html`, known).catch((error: Error) => {
        throw new Error(`The first example of packages/${name}/README.md asks nothing: ${error.message}`);
      });
      await page.close();
    }
  } finally {
    await browser.close();
    server.close();
  }
}

import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { rateByThumb, rateInCorner } from "./rate-app.ts";
import { blocksOf, Reader } from "./reader.ts";

// Apps that somebody has, into which the lines are pasted that `--add` prints, as the instructions for coding agents say. $[…] is where the part goes that begins with
// these words; all parts of a file are printed in the order of its places.

const express = {
  "server.ts": `import express from "express";
$[import { Afterword,]
$[interface Question]
$[const afterword =]
const app = express();
app.post("/api/answer", express.json(), async (request, response) => {
$[const { question, visitor }]
});
app.use(express.static("public"));
app.listen(Number(process.env["PORT"]), "127.0.0.1");
`,
  "public/index.html": `<!doctype html>
<html lang="en">
<head><title>Shop</title>
$[<script>]
</head>
<body><button>Ask the agent</button><p></p><script type="module" src="/page.js"></script></body>
</html>
`,
  "public/page.js": `document.querySelector("button").addEventListener("click", async () => {
$[afterword("task")]
});
`,
};

const api = `import { Hono } from "hono";
$[import { Afterword,]
$[const afterword =]
export const api = new Hono();
api.post("/api/answer", async (context) => {
$[const { question, visitor }]
});
`;

const viteReact = {
  "src/main.tsx": `import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
$[import { AfterwordProvider }]
import { Chat } from "./chat.tsx";

$[const options]

createRoot(document.querySelector("#root")!).render(
  <StrictMode>
$[<AfterwordProvider]
  </StrictMode>,
);
`,
  "src/chat.tsx": `import { useState } from "react";
$[import { type HandedOverRun]

export function Chat() {
$[const afterword =]
  const [answers, setAnswers] = useState<{ text: string; run?: HandedOverRun }[]>([]);
  async function ask(form: FormData) {
$[const body =]
    const answer = await reply!.json();
    setAnswers((earlier) => [...earlier, answer]);
  }
  return (
    <>
      {answers.map(({ text, run }, index) => (
        <article key={index}>
          <p>{text}</p>
$[<Thumbs]
        </article>
      ))}
      <form action={ask}>
        <label>Your question <input name="question" /></label>
        <button>Ask</button>
      </form>
    </>
  );
}
`,
  "api.ts": api,
};

const next = {
  "app/layout.tsx": `import type { ReactNode } from "react";
$[import { AfterwordProvider }]
export default function Layout({ children }: { children: ReactNode }) {
  const id = "user-4711";
  return (
    <html lang="en">
      <body>
$[<AfterwordProvider]
      </body>
    </html>
  );
}
`,
  "app/page.tsx": `"use client";
$[import { Thumbs }]
export default function Page() {
$[const { messages,]
  return (
    <main>
$[{messages.map]
      <form action={(form) => sendMessage({ text: form.get("question") as string })}>
        <label>Your question <input name="question" /></label>
        <button>Ask</button>
      </form>
    </main>
  );
}
`,
  "app/api/chat/route.ts": `import { model } from "../../model";
$[import { Afterword }]
export async function POST(request: Request): Promise<Response> {
  const respondentId = "user-4711";
$[const { messages }]
}
`,
};

/** The commands of the page, in their order: one adds, the other asks for a token. */
const [add, ask] = blocksOf("coding-agents").map(({ code }) => code.trim()) as [string, string];

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
});
afterAll(() => browser?.close());

const places = /\$\[(.+)\]/g;

/** What is printed for each file. */
function printedLines(out: string): Map<string, string> {
  const files = out.matchAll(/^Paste, as in (\S+) of the template(?:, .+)?:\n((?: {2}.*\n|\n(?= ))+)/gm);
  return new Map([...files].map(([, file, lines]) => [file!, lines!]));
}

/** The app's file with each part in its place. */
function pasted(text: string, lines: string): string {
  const starts = [...text.matchAll(places)].map(([, words]) => lines.indexOf(words!));
  expect(starts, lines).toEqual(starts.filter((at) => at >= 0).toSorted((one, other) => one - other));
  const parts = starts.map((at, index) => lines.slice(at, starts[index + 1]));
  return text.replaceAll(places, () => parts.shift()!);
}

/** Does all that `--add` prints: installs, pastes and starts the server for development. */
async function addTo(app: Record<string, string>, template: string): Promise<Reader> {
  const reader = await Reader.arrive(inject("registryUrl"));
  onTestFinished(() => reader[Symbol.asyncDispose]());
  if (template !== "express") {
    const templates = "../../packages/create-afterword/templates";
    const folder = fileURLToPath(new URL(`${templates}/${template}/`, import.meta.url));
    const isOwn = (file: string) => !/\/(node_modules|dist|\.next|\.env|src\/afterword\.ts)$/.test(file);
    cpSync(folder, reader.folder, { recursive: true, filter: isOwn });
    await reader.enter("npm pkg delete dependencies.@afterword/{browser,node,react}");
  } else await reader.enter("npm init -y && npm pkg set type=module && npm install express");
  const port = new URL(reader.url("4330")).port;
  await reader.enter(`${add.replace("express", template)} --dev-port ${port}`);
  const out = reader.printed.at(-1)!;
  const printed = printedLines(out);
  expect([...printed.keys()].toSorted()).toEqual(Object.keys(app).toSorted());
  for (const [file, text] of Object.entries(app)) reader.write(file, pasted(text, printed.get(file)!));
  await reader.enter(/^Install: +(.+)$/m.exec(out)![1]!);
  await reader.enter(/^Start the server for development here.*\n +(.+)$/m.exec(out)![1]!);
  return reader;
}

/** What the app answers has a token for the survey. */
async function checkToken(reader: Reader, surveyId: string): Promise<void> {
  await reader.enter(ask);
  const { run } = JSON.parse(reader.printed.at(-1)!) as { run: { tokens: object } };
  expect(run.tokens).toHaveProperty(surveyId, expect.any(String));
}

/** A page of the browser, and what it complained about. */
async function openPage(): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ reducedMotion: "reduce" });
  onTestFinished(() => page.close());
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  return { page, faults };
}

describe("an app, with the lines that --add prints pasted into it, is rated", () => {
  it("express", async () => {
    const reader = await addTo(express, "express");
    await reader.enter(
      /^Start your app .*\n +(.+)$/m.exec(reader.printed.find((text) => text.includes("Paste"))!)![1]!,
    );
    await checkToken(reader, "satisfaction");
    const { page, faults } = await openPage();
    expect(await rateInCorner(page, { url: reader.url("3000") })).toBe(4);
    expect(faults).toEqual([]);
  });

  const server = "npm run build\nnode --env-file=.env server.ts";

  it.each([
    ["vite-react", viteReact, server],
    ["next-ai-sdk", next, "npm run build\nnpm start -- --port 3000"],
  ] as const)("%s", async (template, app, commands) => {
    const reader = await addTo(app, template);
    await reader.enter(commands);
    if (template !== "next-ai-sdk") await checkToken(reader, "answer");
    const { page, faults } = await openPage();
    expect(await rateByThumb(page, { url: reader.url("3000") })).toBe(5);
    await page.getByText("Thank you").waitFor();
    expect(faults).toEqual([]);
  });
});

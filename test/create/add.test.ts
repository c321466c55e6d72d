import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { templates } from "../../packages/create-afterword/src/templates.ts";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { rateByThumb, rateInCorner } from "./rate-app.ts";
import { Reader } from "./reader.ts";

// Apps that somebody has, into which the lines are pasted that `--add` prints. $0, $1 … are where the first, the second … part of
// what is printed for a file goes.

const express = {
  "server.ts": `import express from "express";
$0
$1
$2
const app = express();
app.post("/api/answer", express.json(), async (request, response) => {
$3
});
app.use(express.static("public"));
app.listen(Number(process.env["PORT"]), "127.0.0.1");
`,
  "public/index.html": `<!doctype html>
<html lang="en">
<head><title>Shop</title>
$0
</head>
<body><button>Ask the agent</button><p></p><script type="module" src="/page.js"></script></body>
</html>
`,
  "public/page.js": `document.querySelector("button").addEventListener("click", async () => {
$0
});
`,
};

const viteReact = {
  "src/main.tsx": `import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
$0
import { Chat } from "./chat.tsx";

$1

createRoot(document.querySelector("#root")!).render(
  <StrictMode>
$2
  </StrictMode>,
);
`,
  "src/chat.tsx": `import { useState } from "react";
$0

export function Chat() {
$1
  const [answers, setAnswers] = useState<{ text: string; run?: HandedOverRun }[]>([]);
  async function ask(form: FormData) {
$2
    const answer = await reply!.json();
    setAnswers((earlier) => [...earlier, answer]);
  }
  return (
    <>
      {answers.map(({ text, run }, index) => (
        <article key={index}>
          <p>{text}</p>
$3
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
  "api.ts": `import { Hono } from "hono";
$0
$1
export const api = new Hono();
api.post("/api/answer", async (context) => {
$2
});
`,
};

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
});
afterAll(() => browser?.close());

/** What is printed for each file, part by part. */
function printedParts(out: string, template: string): Map<string, string[]> {
  const { pasted } = templates[template]!;
  const printed = new Map<string, string[]>();
  for (const [, file, lines] of out.matchAll(
    /^Paste, as in (\S+) of the template:\n((?: {2}.*\n|\n(?= ))+)/gm,
  )) {
    const begins = pasted.filter((part) => part.file === file).map(({ from }) => from);
    const parts: string[] = [];
    for (const line of lines!.split("\n")) {
      const next = begins[parts.length];
      if (next !== undefined && line.includes(next)) parts.push("");
      parts[parts.length - 1] += `${line}\n`;
    }
    printed.set(file!, parts);
  }
  return printed;
}

/** Does all that `--add` prints: installs, pastes and starts the server for development. */
async function addTo(app: Record<string, string>, template: string): Promise<Reader> {
  const reader = await Reader.arrive(inject("registryUrl"));
  onTestFinished(() => reader[Symbol.asyncDispose]());
  if (template === "vite-react") {
    const example = fileURLToPath(new URL("../../examples/vite-react/", import.meta.url));
    for (const file of ["index.html", "package.json", "server.ts", "tsconfig.json", "vite.config.ts"])
      cpSync(join(example, file), join(reader.folder, file));
    await reader.enter("npm pkg delete dependencies.@afterword/{browser,node,react}");
  } else await reader.enter("npm init -y && npm pkg set type=module && npm install express");
  const port = new URL(reader.url("4330")).port;
  await reader.enter(`npm create afterword@latest -- --add --template ${template} --dev-port ${port}`);
  const out = reader.printed.at(-1)!;
  const printed = printedParts(out, template);
  expect([...printed.keys()].toSorted()).toEqual(Object.keys(app).toSorted());
  for (const [file, text] of Object.entries(app))
    reader.write(
      file,
      text.replaceAll(/\$(\d)/g, (_, index) => printed.get(file)![Number(index)]!),
    );
  await reader.enter(/^Install: +(.+)$/m.exec(out)![1]!);
  await reader.enter(/^Start the server for development here.*\n +(.+)$/m.exec(out)![1]!);
  return reader;
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
    const { page, faults } = await openPage();
    expect(await rateInCorner(page, { url: reader.url("3000") })).toBe(4);
    expect(faults).toEqual([]);
  });

  it("vite-react", async () => {
    const reader = await addTo(viteReact, "vite-react");
    await reader.enter("npm run build\nnode --env-file=.env server.ts");
    const { page, faults } = await openPage();
    expect(await rateByThumb(page, { url: reader.url("3000") })).toBe(5);
    expect(faults).toEqual([]);
  });
});

import { globSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import viteReact from "../../packages/create-afterword/templates/vite-react/package.json" with { type: "json" };
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { rateByThumb, rateInCorner } from "./rate-app.ts";
import { blocksOf, Reader, sourceOf } from "./reader.ts";

// The ways in, entered as they stand: a reader's folder gets the files of the page, and its commands are run.

const pages = globSync("*.md", { cwd: fileURLToPath(new URL("../../docs/start", import.meta.url)) })
  .map((file) => basename(file, ".md"))
  .toSorted();

/** Blocks of commands that are not run here, by how they begin, and why. */
const exempt: Readonly<Record<string, string>> = {
  "npm create afterword my-app\n": "asks in a terminal: packages/create-afterword has tests of the choice",
  "npm create afterword my-app -- --template page": "create.test.ts does that for each template",
  "npm create afterword my-chat -- --template vite-react": "create.test.ts does that for each template",
  "npm create afterword -- --add": "add.test.ts does that",
  "npm create afterword@latest -- --add": "add.test.ts follows the instructions for coding agents",
  "curl --silent --json": "add.test.ts follows the instructions for coding agents",
  "sudo npm install": "needs root and a machine to change",
};
/** Lines of blocks that are run, and why they are not. */
const exemptLines: Readonly<Record<string, string>> = {
  "PHOENIX_BASE_URL=": "needs Phoenix: test/sinks runs it",
};

const hasPython = process.env["CREATE_FASTAPI"] !== undefined;
const registry = inject("registryUrl");
let browser: Browser;
const entered = new Set<string>();

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
});
afterAll(() => browser?.close());

const isExempt = (code: string) => Object.keys(exempt).some((start) => code.startsWith(start));

/**
 * Follows a page to its end.
 * @param after what a reader does after a command, by how its line begins
 * @param changed what the page lets them put into a line
 */
async function follow(
  page: string,
  reader: Reader,
  after: Record<string, () => Promise<void>> = {},
  changed = (line: string) => line,
) {
  for (const { language, code, file } of blocksOf(page)) {
    if (file) reader.write(file, code);
    else if (language === "sh" && !isExempt(code)) {
      entered.add(page + code);
      for (const line of code.trim().split("\n")) {
        if (Object.keys(exemptLines).some((start) => line.startsWith(start))) continue;
        await reader.enter(changed(line));
        for (const [start, act] of Object.entries(after)) if (line.startsWith(start)) await act();
      }
    }
  }
}

async function arrive(): Promise<Reader> {
  const reader = await Reader.arrive(registry);
  onTestFinished(() => reader[Symbol.asyncDispose]());
  return reader;
}

/** In a new folder with what docs/install.md installs, for the pages that leave that to it. */
async function arriveInstalled(...packages: string[]): Promise<Reader> {
  const reader = await arrive();
  await reader.enter("npm init -y && npm pkg set type=module");
  const own = ["@afterword/node", "@afterword/server", ...packages];
  await reader.enter(`npm install ${own.join(" ")}`);
  return reader;
}

const post = async (url: string, body: object, authorization = "") => {
  const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await reply.text();
  expect(reply.ok, `${url}: ${reply.status} ${text}`).toBe(true);
  return JSON.parse(text);
};

/** A rating of a run, as a page sends it. */
async function rate(
  service: string,
  { publishableKey: key, secretKey }: ReturnType<Reader["keys"]>,
  run: object,
) {
  const ids = { respondentId: crypto.randomUUID(), sessionId: crypto.randomUUID(), ...run };
  const { tokens } = await post(`${service}/v1/sdk/tokens`, ids, `Bearer ${secretKey}`);
  const answer = { key, showToken: tokens.satisfaction, surveyId: "satisfaction", rating: 4 };
  await post(`${service}/v1/sdk/responses`, answer);
}

describe("the commands and files of docs/start, as they stand", () => {
  it("page", async () => {
    const reader = await arriveInstalled();
    await follow("page", reader, {
      "npx afterword-server dev": async () => {
        // Which the page refers to for the server's half.
        for (const { file, code } of blocksOf("typescript")) if (file) reader.write(file, code);
      },
    });
    const page = await browser.newPage({ reducedMotion: "reduce" });
    expect(await rateInCorner(page, { url: reader.url("3000") })).toBe(4);
    await page.close();
  });

  it("react-chat", async () => {
    const reader = await arrive();
    await reader.enter("npm create vite@9.3.0 . -- --template react-ts");
    const page = await browser.newPage({ reducedMotion: "reduce" });
    const rateChat = async () => {
      expect(await rateByThumb(page, { url: reader.url("3000") })).toBe(5);
      await page.getByText("Thank you").waitFor();
    };
    await follow("react-chat", reader, { "npm run dev": rateChat, "node --env-file=.env": rateChat });
    await page.close();
  });

  it("typescript", async () => {
    const reader = await arriveInstalled("hono", "@hono/node-server");
    await follow("typescript", reader);
    const { run } = JSON.parse(reader.printed.at(-1)!);
    expect(Object.keys(run.tokens).toSorted()).toEqual([
      "answer",
      "ease",
      "loss",
      "recommendation",
      "satisfaction",
    ]);
  });

  it.skipIf(!hasPython)("python, where the packages of PyPI can be had", async () => {
    const reader = await arriveInstalled();
    await follow("python", reader);
    expect(JSON.parse(reader.printed.at(-1)!).run.tokens).toHaveProperty("satisfaction");
  });

  it("worker", async () => {
    const reader = await arriveInstalled();
    await follow("worker", reader);
    expect(reader.printed.at(-1)).toContain('"my-session"');
  });

  it("ci", async () => {
    const reader = await arrive();
    // `npm ci` fails where the registry lacks an optional package of the newest vite, so it is the one of the templates.
    const { vite } = viteReact.devDependencies;
    await reader.enter(`npm init -y && npm pkg set type=module overrides.vite=${vite}`);
    await follow("ci", reader);
    const { code } = blocksOf("ci").find(({ file }) => file === "workflow.yml")!;
    for (const [, command] of code.matchAll(/- run: (.*)/g)) await reader.enter(command!);
    expect(reader.printed.at(-1)).toMatch(/Tests +2 passed/);
  });

  it("operator", async () => {
    const reader = await arriveInstalled("@afterword/browser");
    await follow("operator", reader, {
      "npx afterword-server dev": async () => {
        await rate(reader.url("4330"), reader.keys(), {});
        await reader.end("4330");
        const { projects, ...rest } = JSON.parse(reader.read(".afterword/config.json"));
        const { publishableKey: _, secretKey: __, ...project } = projects[0];
        Object.assign(project, { id: "shop", name: "Shop", allowedOrigins: ["https://shop.example"] });
        const gating = { quietPeriod: "30d", monthlyCap: 2 };
        const config = { ...rest, trustedProxies: 1, projects: [{ ...project, gating }] };
        writeFileSync(join(reader.folder, "config.json"), JSON.stringify(config));
      },
    });
    expect(reader.printed.join("\n")).toMatch(/All is well\.[^]*"ready"[^]*afterword_/);
  });

  it("product-manager", async () => {
    const reader = await arriveInstalled();
    const [, tried] = /What you tried above [^`]*`dev`: `(.+)`\./.exec(sourceOf("product-manager"))!;
    const rateBoth = async () => {
      for (const version of ["2.3", "2.4"])
        await rate(reader.url("4330"), reader.keys(), { run: { version } });
    };
    const after = { "npx afterword-server dev": rateBoth };
    await follow("product-manager", reader, after, (line) => line.replace("--project shop", tried!));
    expect(reader.read("results.html")).toContain("2.4");
  });
});

describe("the exemptions", () => {
  const codes = pages.flatMap((page) =>
    blocksOf(page).filter(({ language, file }) => language === "sh" && !file),
  );

  it("are all of blocks that exist", () => {
    const isUsed = (start: string) => codes.some(({ code }) => code.startsWith(start));
    expect(Object.keys(exempt).filter((start) => !isUsed(start))).toEqual([]);
    const lines = codes.flatMap(({ code }) => code.split("\n"));
    const isLine = (start: string) => lines.some((line) => line.startsWith(start));
    expect(Object.keys(exemptLines).filter((start) => !isLine(start))).toEqual([]);
  });

  it("leave no other block out", () => {
    const of = (page: string) => blocksOf(page).filter(({ language, file }) => language === "sh" && !file);
    const left = pages
      .filter((page) => page !== "python" || hasPython)
      .flatMap((page) =>
        of(page)
          .map(({ code }) => page + code)
          .filter((id) => !isExempt(id.slice(page.length))),
      );
    expect(left.filter((id) => !entered.has(id))).toEqual([]);
  });
});

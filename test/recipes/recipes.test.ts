import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { startWithSnippets } from "../end-to-end/shown-snippets.ts";
import { openRecipe } from "./recipe.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
});
afterAll(() => browser?.close());

async function open(url: string): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ reducedMotion: "reduce" });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }));
  await page.goto(url);
  return { page, faults };
}

/** Asks once more, presses the thumb of the newest answer, and tells which session that answer has. */
async function rateAnswer(page: Page, thumb: "Good answer" | "Bad answer"): Promise<string> {
  const before = await page.locator("afterword-thumbs[token]").count();
  await page.getByLabel("Your question").fill("Where is my order?");
  await page.getByRole("button", { name: "Ask" }).click();
  const thumbs = page.locator("afterword-thumbs[token]").nth(before);
  await thumbs.getByRole("button", { name: thumb }).click();
  await thumbs.getByText("Thank you").waitFor();
  return (await thumbs.getAttribute("session-id"))!;
}

type Recipe = Awaited<ReturnType<typeof openRecipe>>;

/** Builds the example and starts it; resolves to the address of its page. */
const startWith = (command: string[]) => async (recipe: Recipe) => {
  await recipe.build();
  return recipe.start(command, await recipe.freePort());
};

async function startOfTwoOrigins(recipe: Recipe): Promise<string> {
  const [ofPage, ofApi] = [await recipe.freePort(), await recipe.freePort()];
  const api = await recipe.start(["node", "api.ts"], ofApi, { PAGE_ORIGIN: `http://127.0.0.1:${ofPage}` });
  await recipe.build({ VITE_API: api });
  const preview = ["vite", "preview", "--host", "127.0.0.1", "--port", `${ofPage}`, "--strictPort"];
  return recipe.start(preview, ofPage);
}

const withServer = startWith(["node", "server.ts"]);

describe("an example, installed from the tarballs and built by its own bundler, brings ratings to their sessions", () => {
  it.each([
    ["vite-react", withServer],
    ["vue", withServer],
    ["svelte", withServer],
    ["next-ai-sdk", startWith(["next", "start", "--hostname", "127.0.0.1"])],
    ["express-api-and-spa", startOfTwoOrigins],
  ])("%s", async (name, start) => {
    const recipe = await openRecipe(name);
    const { page, faults } = await open(await start(recipe));
    const good = await rateAnswer(page, "Good answer");
    const bad = await rateAnswer(page, "Bad answer");
    expect(good).not.toBe(bad);
    expect(await recipe.pendingScores()).toMatchObject([
      { sessionId: good, rating: 5 },
      { sessionId: bad, rating: 1 },
    ]);
    expect(faults).toEqual([]);
    await page.close();
  });
});

it.each([
  ["vue", "Vue"],
  ["svelte", "Svelte"],
])(
  "the files that the development page shows for %s are built in the place of the example's",
  async (name, stack) => {
    const folder = process.env["RECIPES_FOLDER"]!;
    const copy = `${name}-with-snippet`;
    cpSync(join(folder, name), join(folder, copy), { recursive: true, verbatimSymlinks: true });
    const { files, stop } = await startWithSnippets(browser, { page: stack });
    await stop();
    const replaced = files.filter(({ file }) => /^src|^vite/.test(file));
    expect(replaced).toHaveLength(3);
    for (const { file, code } of replaced) writeFileSync(join(folder, copy, file), code);
    // Projects that Vite makes do not allow imports with an extension everywhere.
    const settings = join(folder, copy, "tsconfig.json");
    const { compilerOptions } = JSON.parse(readFileSync(settings, "utf8"));
    delete compilerOptions.allowImportingTsExtensions;
    writeFileSync(settings, JSON.stringify({ compilerOptions, include: ["src"] }));
    const recipe = await openRecipe(copy);
    await recipe.build();
    const scripts = globSync(join(folder, copy, "dist/assets/*.js")).map((file) =>
      readFileSync(file, "utf8"),
    );
    expect(scripts.some((script) => /aw_pk_\w{20}/.test(script))).toBe(true);
  },
);

it("a chat in React stays after a request that fails, and answers the next question", async () => {
  const { page } = await open(await withServer(await openRecipe("vite-react")));
  await page.route("**/api/answer", (route) => route.abort());
  await page.getByLabel("Your question").fill("Where is my order?");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("No answer came. Ask again.").waitFor();
  await page.unrouteAll();
  expect(await rateAnswer(page, "Good answer")).not.toBe("");
  await page.close();
});

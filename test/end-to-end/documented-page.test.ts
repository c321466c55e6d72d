import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Afterword } from "@afterword/node";
import { startServer, type RunningServer, type SurveyConfig } from "@afterword/reference-server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSite, type Document, type Site } from "./browser-site.ts";
import { sharedBrowser } from "./shared-browser.ts";

// Runs the blocks of code of the pages about the widget as they stand there. Only addresses, keys and tokens are the test's.

const look = { status: "active", trigger: "manual", presentation: "inline" } as const;
const eachRun = { askAgain: { eachRun: true }, unprompted: true } as const;
const surveys: SurveyConfig[] = [
  { ...look, ...eachRun, id: "answer", slug: "answer", type: "csat", question: "Was it good?" },
  { ...look, id: "easy", slug: "how-easy", type: "ces", question: "How easy was it?" },
  {
    ...look,
    id: "done",
    slug: "how-did-it-go",
    type: "csat",
    question: "How did it go?",
    presentation: "corner",
  },
];

let service: RunningServer;
let client: Afterword;
let site: Site;
const documents = new Map<string, Document>();

beforeAll(async () => {
  const projects = [{ id: "p", name: "P", allowedOrigins: ["*"], surveys }];
  service = await startServer({ config: { projects, rateLimits: false } });
  client = new Afterword({ baseUrl: service.url, secretKey: service.projects[0]!.secretKey });
  site = await startSite(documents);
});

afterAll(async () => {
  site.stop();
  await service.close();
});

/** The blocks of a page in a language, in their order. */
function blocks(path: string, language: string): string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    ([, code]) => code!,
  );
}

const here = (code: string, token = "") =>
  code
    .replaceAll("https://your.cdn/", "/afterword/")
    .replaceAll("https://feedback.example.com", service.url)
    .replaceAll("aw_pk_…", service.projects[0]!.publishableKey)
    .replaceAll('token="…"', `token="${token}"`);

async function mint(surveyId: string, sessionId = "run-2041") {
  const respondentId = `person-${crypto.randomUUID()}`;
  const { tokens } = await client.mint({ respondentId, sessionId, surveyId });
  return { respondentId, token: tokens[surveyId]! };
}

async function open(body: string): Promise<Page> {
  const path = `/${crypto.randomUUID()}`;
  documents.set(path, { type: "text/html", text: `<!doctype html><html lang="en"><body>${body}` });
  // A card that still slides into place would move away from under a click.
  const context = await (await sharedBrowser()).newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(site.url + path);
  return page;
}

/** A page with the script tag as it is documented; without a restriction to runs where `isLinked` is false. */
const openWithTag = (body: string, { isLinked = true } = {}) => {
  const [tag] = blocks("docs/browser/script-tag.md", "html");
  return open(here(isLinked ? tag! : tag!.replace(" data-linked-only", "")) + body);
};

/** A page with the client of npm as `afterword`, and other names that its code uses. */
async function openWithNpm(names: Record<string, unknown> = {}): Promise<Page> {
  const page = await open("");
  const given = { key: service.projects[0]!.publishableKey, baseUrl: service.url };
  await page.evaluate((globals) => void Object.assign(globalThis, globals), names);
  // As a text: what runs the tests would rewrite an import.
  await page.evaluate(`import("/afterword/npm/index.js").then(({ createAfterword }) => {
    globalThis.afterword = createAfterword(${JSON.stringify(given)});
  })`);
  return page;
}

const run = (page: Page, code: string) => page.evaluate(`(async () => { ${code} })()`);
const close = (page: Page) => page.context().close();
const ratingOf = async (sessionId: string) => {
  for await (const row of client.pendingScores()) if (row.sessionId === sessionId) return row.rating;
};

describe("the script tag", () => {
  it.each(["docs/browser/script-tag.md", "packages/browser/README.md"])(
    "of %s loads the widget, which asks about runs alone",
    async (path) => {
      const page = await open(here(blocks(path, "html")[0]!));
      await page.waitForFunction("'isOpen' in afterword");
      await run(
        page,
        `globalThis.reason = new Promise((done) => document.addEventListener("afterword:notShown", ({ detail }) => done(detail.reason)));
         afterword("ask", "how-did-it-go");`,
      );
      expect(await page.evaluate("reason")).toBe("unlinked");
      await close(page);
    },
  );

  it("of a tag manager starts the widget", async () => {
    const page = await open("");
    await run(page, here(blocks("docs/browser/surroundings.md", "html")[0]!).replaceAll(/<\/?script>/g, ""));
    await expect.poll(() => page.evaluate("afterword.isOpen"), { timeout: 15_000 }).toBe(true);
    await close(page);
  });
});

describe("packages/browser/README.md", () => {
  it("asks after an agent's task", async () => {
    const { respondentId, token } = await mint("done", "readme-1");
    const page = await openWithTag("");
    const given = { user: { id: respondentId }, surveyId: "done", token, sessionId: "readme-1" };
    await page.evaluate((names) => void Object.assign(globalThis, names), given);
    await run(page, blocks("packages/browser/README.md", "js")[0]!);
    await page.getByRole("radio").last().check({ force: true });
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => ratingOf("readme-1")).toBe(5);
    await close(page);
  });

  it("creates a client with npm", async () => {
    const page = await open("");
    const code = here(blocks("packages/browser/README.md", "ts")[0]!);
    await page.addScriptTag({
      type: "module",
      content: `${code.replace("@afterword/browser", "/afterword/npm/index.js")}; globalThis.created = afterword;`,
    });
    await expect.poll(() => page.evaluate("globalThis.created?.respondent()?.id")).toMatch(/./);
    await close(page);
  });
});

describe("thumbs", () => {
  it.each([
    ["docs/browser/thumbs.md", 0],
    ["packages/browser/README.md", 1],
  ])("of %s vote on the run of their token", async (path, index) => {
    const sessionId = `run-${crypto.randomUUID()}`;
    const { respondentId, token } = await mint("answer", sessionId);
    const html = here(blocks(path, "html")[index]!, token).replace("run-2041", sessionId);
    const page = await openWithTag(`<script>afterword("identify", "${respondentId}")</script>${html}`);
    await page.locator("afterword-thumbs button").first().click();
    await expect.poll(() => ratingOf(sessionId), { timeout: 15_000 }).toBe(5);
    await close(page);
  });
});

describe("docs/browser/in-the-page.md", () => {
  const [elements, ofARun] = blocks("docs/browser/in-the-page.md", "html");
  const [askInSlot] = blocks("docs/browser/in-the-page.md", "js");
  const [inset] = blocks("docs/browser/in-the-page.md", "css");

  it("fills an element that names a slug", async () => {
    const page = await openWithTag(elements!, { isLinked: false });
    await expect.poll(() => page.locator("afterword-survey").getByRole("radio").count()).toBe(7);
    await close(page);
  });

  it("fills an element with the survey of its run", async () => {
    const { respondentId, token } = await mint("easy");
    const page = await openWithTag(
      `<script>afterword("identify", "${respondentId}")</script>${here(ofARun!, token)}`,
    );
    await expect.poll(() => page.locator("afterword-survey").getByRole("radio").count()).toBe(7);
    await close(page);
  });

  it("fills an element by a call", async () => {
    const { respondentId, token } = await mint("easy");
    const page = await openWithTag(
      `<script>afterword("identify", "${respondentId}")</script><div id="slot"></div>`,
    );
    await page.evaluate((value) => void Object.assign(globalThis, { token: value }), token);
    await run(page, `const element = document.querySelector("#slot"); ${askInSlot}`);
    await expect.poll(() => page.locator("#slot").getByRole("radio").count()).toBe(7);
    await close(page);
  });

  it("keeps space free at the bottom of a phone", async () => {
    const page = await openWithTag(`<style>${inset}</style>`, { isLinked: false });
    await page.setViewportSize({ width: 400, height: 700 });
    await run(page, `afterword("ask", "how-did-it-go")`);
    await page.getByRole("radio").first().waitFor();
    const part = await page.getByRole("button", { name: /close/i }).evaluate((button) => {
      const card = (button.getRootNode() as ShadowRoot).querySelector('[part~="card"]')!;
      return card.getBoundingClientRect().bottom;
    });
    expect(part).toBeLessThanOrEqual(700 - 88);
    await close(page);
  });
});

describe("docs/browser/muting.md", () => {
  it("remembers with the account until when a person is muted", async () => {
    const page = await openWithNpm();
    await run(page, `globalThis.saveSetting = (setting) => { globalThis.saved = setting };`);
    await run(page, blocks("docs/browser/muting.md", "js")[0]!);
    await run(page, `afterword.mute("forever")`);
    await expect.poll(() => page.evaluate("saved")).toEqual({ mutedUntil: "forever" });
    await close(page);
  });
});

describe("docs/browser/rating.md", () => {
  it("sends the rating of a run from a control of the page", async () => {
    const { respondentId, token } = await mint("answer", "rated-1");
    const page = await openWithNpm({ surveyId: "answer", token, sessionId: "rated-1" });
    await run(page, `afterword.identify("${respondentId}")`);
    expect(await run(page, `${blocks("docs/browser/rating.md", "js")[0]!}; return result;`)).toBe("stored");
    expect(await ratingOf("rated-1")).toBe(5);
    await close(page);
  });
});

describe("docs/browser/theming.md", () => {
  const styles = blocks("docs/browser/theming.md", "css");
  // Made anew with AFTERWORD_PICTURES=keep after a change of the look, as those of the gallery.
  const pictures = fileURLToPath(new URL("../../docs/browser/pictures/", import.meta.url));
  const definition = {
    type: "csat",
    slug: "shown",
    question: "How well did the agent book your trip?",
    presentation: "corner",
    endLabels: { low: "Badly", high: "Very well" },
  };

  it.each([
    [0, "one-colour", "light", "rgb(15, 118, 110)"],
    [1, "paper", "light", "rgb(154, 52, 18)"],
    [2, "dark-violet", "dark", "rgb(196, 181, 253)"],
  ] as const)(
    "gives the survey the colours of its block %i, %s",
    async (index, name, colorScheme, accent) => {
      const page = await openWithTag(`<style>${styles[index]}</style>`, { isLinked: false });
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 400, height: 220 });
      await run(page, `afterword("preview", ${JSON.stringify(definition)})`);
      await page.getByRole("radio").nth(4).check({ force: true });
      const send = page.getByRole("button", { name: "Send" });
      await send.waitFor();
      expect(await send.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe(accent);
      if (process.env["AFTERWORD_PICTURES"] === "keep") {
        mkdirSync(pictures, { recursive: true });
        writeFileSync(`${pictures}${name}.png`, await page.screenshot());
      }
      await close(page);
    },
  );
});

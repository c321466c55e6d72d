import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerFolder, serverProgram } from "./server-program.ts";
import { sharedBrowser } from "./shared-browser.ts";

const scales = { nps: [0, 10], csat: [1, 5], ces: [1, 7], pmf: [0, 2] } as const;
type Type = keyof typeof scales;
const taskTypes = ["refund", "invoice", "search", null];

const questions = {
  nps: "How likely are you to recommend us?",
  csat: "How satisfied are you with this answer?",
  ces: "How easy was it to get this done?",
  pmf: "How would you feel if you could no longer use it?",
};

const sampling = {
  probability: 0.05,
  strata: [{ name: "failed", when: [{ trait: "outcome", op: "eq", value: "failed" }], probability: 1 }],
};

const refusals = ["phoenix: POST /v1/span_annotations answered 422", "opik: a score needs a rating", null];

/** Park and Miller's generator, so that each run has the same answers. */
function* shares(seed: number): Generator<number, never> {
  for (let state = seed; ;) yield (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Runs of the survey `csat` alone are known: of three versions, where all failed ones and a twentieth of the others are asked about. */
function runOf(survey: Type, at: number, isFailed: boolean) {
  if (survey !== "csat") return null;
  const week = (Date.parse("2026-11-01T00:00:00Z") - at) / (7 * 86_400_000);
  const version = week < 3 ? "2.10" : week < 6.5 ? "2.9" : "2.8";
  return isFailed
    ? { version, stratum: "failed", samplingProbability: 1 }
    : { version, samplingProbability: 0.05 };
}

type Run = NonNullable<ReturnType<typeof runOf>>;

/** For each answer there are so many runs, and steps in between. */
function countRuns(connection: Database.Database, runs: readonly Run[]): void {
  const insert = connection.prepare("INSERT INTO run_counts VALUES ('shop', 'csat', ?, ?, ?, ?, ?, ?)");
  const day = Date.parse("2026-10-01T00:00:00Z");
  for (const [key, { length }] of Map.groupBy(
    runs,
    ({ version, stratum }) => `${version}/${stratum ?? ""}`,
  )) {
    const [version, stratum] = key.split("/");
    const count = (kind: string, times: number, reason = "") =>
      insert.run(day, version, stratum, kind, reason, Math.round(length * times));
    const asked = 8;
    count("run", stratum ? asked + 2 : (asked + 2) * 20);
    if (!stratum) count("notSampled", (asked + 2) * 19);
    count("gated", 2, "quiet_period");
    count("asked", asked);
    count("shown", 6);
    count("answered", 1);
    count("dismissed", 0.5);
  }
}

/** Answers of ten weeks, several of most people, straight into the file: no request can have been made last month. */
function fill(database: string, count: number): void {
  const connection = new Database(database);
  const insert = connection.prepare(`
    INSERT INTO responses (id, project_id, survey_id, survey_version, respondent_id, session_id, observation_id,
      task_type, rating, text, identity_kind, at, source, score_state, failure, run)
    VALUES (?, 'shop', ?, 1, ?, ?, ?, ?, ?, ?, 'known', ?, ?, ?, ?, ?)`);
  const runs: Run[] = [];
  const random = shares(11);
  const next = () => random.next().value;
  const end = Date.parse("2026-11-01T00:00:00Z");
  connection.transaction(() => {
    for (let index = 0; index < count; index++) {
      const survey = (Object.keys(scales) as Type[])[index % 4]!;
      const [min, max] = scales[survey];
      const taskType = taskTypes[Math.floor(next() * 4)]!;
      const mood = Math.sqrt(next()) * (taskType === "invoice" ? 0.8 : 1);
      const rating = min + Math.min(max - min, Math.floor(mood * (max - min + 1)));
      const at = Math.floor(end - next() * 70 * 24 * 3_600_000);
      const text =
        next() < 0.05 ? `It ${rating > 2 ? "did" : "did not do"} what I asked. <b>${index}</b>` : null;
      const source = index % 50 === 0 ? "imported" : "measured";
      const run = runOf(survey, at, rating < 4 && index % 3 > 0);
      if (run) runs.push(run);
      const id = `${at.toString(16)}-${index}`;
      const refusal = index % 500 === 0 ? refusals[(index / 500) % 3] : undefined;
      insert.run(
        id,
        survey,
        `person-${Math.floor(next() * 700)}`,
        `session-${index}`,
        `span-${index}`,
        taskType,
        rating,
        text,
        at,
        source,
        refusal === undefined ? "delivered" : "failed",
        refusal,
        run && JSON.stringify(run),
      );
    }
    countRuns(connection, runs);
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const deliver = connection.prepare("INSERT INTO deliveries VALUES ('shop', ?, ?)");
    for (let back = 0; back < 30; back++) deliver.run(hour - back * 3_600_000, 100 + back);
  })();
  connection.close();
}

/** The comments, and notes that are printed after them. */
const afterSummary = ".appendix, footer";

/** Sheets of A4 that a page takes when it is printed without what a selector names. */
async function printedPages(page: Page, without = ":not(*)"): Promise<number> {
  // Its policy forbids an added style sheet, and allows this.
  const hide = (isHidden: boolean) =>
    page.locator(without).evaluateAll((all, isHidden) => {
      for (const one of all) (one as HTMLElement).style.display = isHidden ? "none" : "";
    }, isHidden);
  await hide(true);
  const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true });
  await hide(false);
  return pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)!.length;
}

const surveys = Object.entries(questions).map(([type, question]) => ({
  id: type,
  slug: type,
  type,
  question,
  presentation: "corner",
  trigger: "manual",
  status: "active",
  ...(type === "csat" && { sampling }),
}));

const folder = new ServerFolder();

/** Creates a project with surveys. */
async function createProject(id: string, name: string, asked: object[]): Promise<void> {
  const project = { id, name, allowedOrigins: [], surveys: asked };
  writeFileSync(folder.file(`${id}.json`), JSON.stringify({ projects: [project] }));
  await folder.run("project", "create", id, "--name", name);
  expect((await folder.run("apply", `${id}.json`)).code).toBe(0);
}

afterAll(() => folder[Symbol.dispose]());

beforeAll(async () => {
  await createProject("shop", "Shop", surveys);
  fill(folder.file("afterword.db"), 6000);
});

describe("results that are served live", () => {
  it("leave the processor to a server on the same machine", async () => {
    const words = [serverProgram, "results", "--project", "shop", "--open"];
    const child = spawn(process.execPath, words, { cwd: folder.path, stdio: ["ignore", "pipe", "ignore"] });
    await once(child.stdout, "data");
    expect(getPriority(child.pid!)).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL);
    child.kill("SIGINT");
    await once(child, "exit");
  });
});

describe("the page of results in a real browser", () => {
  let page: Page;
  const requests: string[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    // The second one replaces the first.
    for (const since of ["2026-10-01", "2026-09-27"]) {
      const words = ["--since", since, "--until", "2026-10-31T12:00:00Z", "--html", "results.html"];
      await folder.run("results", "--project", "shop", ...words);
    }
    page = await (
      await sharedBrowser()
    ).newPage({ viewport: { width: 1100, height: 900 }, colorScheme: "light" });
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(pathToFileURL(folder.file("results.html")).href);
  });
  afterAll(() => page.close());

  it("makes no request of its own and breaks no rule of its policy", () => {
    expect(requests.filter((url) => !url.startsWith("file:"))).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it("begins with what changed, and a line per survey: question, score, change, answers, trend", async () => {
    const top = page.locator(".overview");
    expect(await top.locator(".verdict").innerText()).toMatch(/clear|fell|rose/);
    const rows = top.locator("tbody tr");
    expect((await rows.locator("th > a").allInnerTexts()).sort()).toEqual(Object.values(questions).sort());
    const csat = rows.filter({ hasText: questions.csat });
    expect(await csat.innerText()).toMatch(/[\d.]+ % satisfied\s+likely [\d.]+ % to [\d.]+ %/);
    expect(await csat.innerText()).toMatch(/(No clear change|Up|Down)[\s\S]*likely [−+][\d.]+ to [−+][\d.]+/);
    expect(await csat.innerText()).toMatch(/\d+ answers\s+of \d+ people/);
    expect(await rows.locator("svg").count()).toBe(4);
    // All of it on the first screen.
    const box = await top.boundingBox();
    expect(box!.y + box!.height).toBeLessThan(900);
    await csat.getByRole("link", { name: questions.csat }).click();
    expect(await page.evaluate(() => document.querySelector(":target h2")?.textContent)).toBe(questions.csat);
    await page.evaluate(() => scrollTo(0, 0));
  });

  it("shows answers in the words of their scale, and plots weeks, task types, versions and hours, each with a table", async () => {
    expect(await page.locator("section.survey").count()).toBe(4);
    expect(await page.locator("figure svg[aria-hidden=true]").count()).toBe(17);
    expect(await page.locator("figure details table").count()).toBe(17);
    const words = await page.locator(".groups th").allInnerTexts();
    for (const word of ["Promoters", "Passives", "Detractors", "Very disappointed", "Satisfied", "Hard"])
      expect(words).toContain(word);
    const weeks = page.locator("figure.by-week").first().locator("tbody th");
    const names = await weeks.evaluateAll((all) => all.map((one) => one.textContent));
    expect(names.filter((name) => name!.endsWith("(incomplete)"))).toEqual([names[0], names.at(-1)]);
  });

  const shown = () => page.locator(".comments > li:visible");
  const valuesOf = (name: string) =>
    shown().evaluateAll((all, key) => all.map((one) => (one as HTMLElement).dataset[key]!), name);

  it("folds comments, which a click, a link from the first lines and a filter unfold", async () => {
    expect(await shown().count()).toBe(0);
    const csat = page.locator(".of-survey", { hasText: questions.csat });
    await page
      .locator(".overview tr", { hasText: questions.csat })
      .getByRole("link", { name: /comment/ })
      .click();
    await csat.locator("li").first().waitFor();
    expect(await shown().count()).toBe(await csat.locator("li").count());
    const folded = page.locator(".of-survey details:not([open]) > summary");
    while ((await folded.count()) > 0) await folded.first().click();
    expect(await shown().count()).toBe(await page.locator(".comments > li").count());
    await page.evaluate(() => scrollTo(0, 0));
  });

  it("has comments by survey, worst first, each with its scale, and texts as texts", async () => {
    expect(await page.locator(".of-survey:visible").count()).toBe(4);
    const nps = page.locator(".of-survey", { hasText: questions.nps });
    const ratings = (await nps.locator(".about strong").allInnerTexts()).map(Number.parseFloat);
    expect(ratings).toEqual(ratings.toSorted((one, other) => one - other));
    expect(await nps.locator(".about strong").first().innerText()).toMatch(/^\d of 10$/);
    const pmf = page.locator(".of-survey", { hasText: questions.pmf });
    expect(await pmf.locator(".about strong").first().innerText()).toBe("Not disappointed");
    expect(await page.locator("blockquote b").count()).toBe(0);
  });

  it("filters comments by task type, version and rating, without a server", async () => {
    const all = await shown().count();
    await page.getByLabel("Task type").selectOption("refund");
    const types = await valuesOf("taskType");
    expect(types.length).toBeGreaterThan(5);
    expect(new Set(types)).toEqual(new Set(["refund"]));
    expect(await page.getByRole("status").innerText()).toBe(`${types.length} of ${all} comments`);
    await page.getByLabel("Task type").selectOption("");
    await page.getByLabel("Version").selectOption("2.9");
    expect(new Set(await valuesOf("version"))).toEqual(new Set(["2.9"]));
    expect(await page.locator(".of-survey:visible").count()).toBe(1);
    await page.getByLabel("Version").selectOption("");
    await page.getByLabel("Rating").selectOption({ label: "2 of 5" });
    expect(new Set(await valuesOf("rating"))).toEqual(new Set(["csat-2 third-0"]));
    await page.getByLabel("Rating").selectOption("third-0");
    expect((await valuesOf("rating")).every((words) => words.endsWith("third-0"))).toBe(true);
    await page.getByLabel("Rating").selectOption("");
    expect(await shown().count()).toBe(all);
  });

  it("is at most 6,000 px high at 1,200 px, and no label stands on another, with versions that overlap in time", async () => {
    const words = ["--since", "2026-08-23", "--until", "2026-11-01", "--html", "overlapping.html"];
    const connection = new Database(folder.file("afterword.db"));
    connection.exec(`CREATE TEMP TABLE kept AS SELECT id, run FROM responses WHERE survey_id = 'csat';
      UPDATE responses SET run = '{"version":"2026.11.' || (sequence % 23) || '-candidate"}' WHERE survey_id = 'csat'`);
    await folder.run("results", "--project", "shop", ...words);
    connection.exec(
      "UPDATE responses SET run = kept.run FROM kept WHERE kept.id = responses.id; DROP TABLE kept",
    );
    connection.close();
    const wide = await page.context().browser()!.newPage();
    await wide.setViewportSize({ width: 1200, height: 900 });
    await wide.goto(pathToFileURL(folder.file("overlapping.html")).href);
    expect(await wide.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(6000);
    const versions = wide.locator("figure", { hasText: "The latest 8 versions" });
    expect(await versions.locator("tbody tr").count()).toBe(20);
    const overlapping = await versions.locator("text").evaluateAll((all) => {
      const boxes = all.map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0);
      return boxes.flatMap((one, index) =>
        boxes
          .slice(0, index)
          .filter(
            ({ left, right, top, bottom }) =>
              left + 2 < one.right && one.left + 2 < right && top + 2 < one.bottom && one.top + 2 < bottom,
          ),
      ).length;
    });
    expect(overlapping).toBe(0);
    await wide.close();
  });

  it("shrinks its plots in a window of 360 px, and cuts nothing off", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(await isWide()).toBe(false);
    const widths = await page
      .locator("figure svg")
      .evaluateAll((all) => all.map((svg) => svg.getBoundingClientRect().right));
    expect(Math.max(...widths)).toBeLessThanOrEqual(344);
  });

  it("prints a summary of two pages, and comments from the third on", async () => {
    await page.emulateMedia({ media: "print" });
    expect(await page.getByLabel("Rating").isVisible()).toBe(false);
    const summary = await printedPages(page, afterSummary);
    const comments = await printedPages(page, "header, main > :not(.appendix)");
    expect(summary).toBe(2);
    expect(comments).toBeGreaterThan(0);
    // None of them begins on a page of the summary.
    expect(await printedPages(page)).toBe(summary + comments);
  });
});

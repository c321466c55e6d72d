import type { BrowserContext, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const rating = (value: number) => `input[value="${value}"]`;
const stories = `
  window.reasons = []; window.errors = [];
  afterword("on", "notShown", ({ slug, reason }) => reasons.push([slug, reason]));
  afterword("on", "error", ({ code, requestId, message }) => errors.push({ code, requestId, message }));`;

const survey = (id: string, parts: object = {}) => ({
  id,
  slug: id,
  type: "csat",
  question: "How was it?",
  presentation: "corner",
  trigger: "auto",
  ...parts,
});

/** A browser in which the service answers a question for the surveys so. */
async function answering(json: unknown, status = 200, headers = {}): Promise<BrowserContext> {
  const context = await world.newContext();
  await context.route("**/v1/sdk/bootstrap", (route) =>
    route.fulfill({ status, json, headers: { "access-control-allow-origin": "*", ...headers } }),
  );
  return context;
}

describe("a file of the widget that does not come", () => {
  it("all files have the version in the script's address", async () => {
    const { page } = await world.open({ attributes: `data-language="de"` });
    await page.waitForFunction("afterword.isOpen");
    const files: string[] = [];
    page.on("request", (request) => files.push(request.url()));
    await page
      .evaluate(
        `{
      const { key, baseUrl } = document.querySelector("script[data-key]").dataset;
      // Otherwise the second one joins the first, which has no version.
      afterword("destroy");
      delete window.afterword;
      const script = Object.assign(document.createElement("script"), { src: "/afterword/afterword.js?v=7" });
      Object.assign(script.dataset, { key, baseUrl, language: "de" });
      script.onload = () => afterword("ask", "when-asked");
      document.head.append(script);
    }`,
      )
      .catch(() => undefined);
    await page.locator(rating(3)).waitFor();
    const own = () =>
      files.filter((url) => url.includes("/afterword/")).map((url) => url.split("/afterword/")[1]);
    const names = ["afterword", "afterword-asking", "afterword-ui", "afterword-preact", "texts/de"];
    await expect.poll(own).toEqual(names.map((name) => `${name}.js?v=7`));
  });
});

describe("the file that applies targeting", () => {
  const targeting = [{ trait: "plan", op: "eq", value: "pro" }];
  const replies = {
    surveys: [survey("sold-out", { targeting }), survey("for-all", { trigger: "manual" })],
    suppression: [],
    showTokens: { "for-all": "st1.a" },
  };
  const withToken = { ...replies, showTokens: { ...replies.showTokens, "sold-out": "st1.s" } };

  /** Asks a person on the plan for the survey with targeting, then for the other. */
  async function askBoth(json: object, answer: (route: Route) => unknown) {
    const context = await answering(json);
    await context.clock.install();
    let loads = 0;
    await context.route("**/afterword-debug.js", (route) => (loads++, answer(route)));
    const before = `${stories} afterword("identify", "${newPerson()}", { plan: "pro" }); afterword("ask", "sold-out");`;
    const { page } = await world.open({ before }, context);
    await page.waitForFunction("afterword.isOpen");
    return { page, loads: () => loads };
  }

  it.each([
    ["fails", (route: Route) => route.abort(), 0],
    ["never arrives", () => undefined, 16_000],
  ])("%s: load-failed, and the next survey is asked", async (_, answer, waitInMs) => {
    const { page, loads } = await askBoth(withToken, answer);
    await expect.poll(loads).toBe(1);
    if (waitInMs) await page.clock.runFor(waitInMs);
    await expect.poll(() => page.evaluate("reasons")).toEqual([["sold-out", "load-failed"]]);
    await page.evaluate(`afterword("ask", "for-all")`);
    await page.locator(rating(3)).waitFor();
  });
});

describe("what a page may do by mistake", () => {
  it("a call without what it needs, or of nothing, throws nothing", async () => {
    const { page, faults } = await world.open();
    await page.waitForFunction("afterword.isOpen");
    for (const given of [
      ``,
      `"ask"`,
      `"identify", null`,
      `"install", "token"`,
      `"on", "shown"`,
      `"preview"`,
      `"preview", {}`,
      `"constructor"`,
      `"__proto__"`,
    ])
      await page.evaluate(`afterword(${given})`);
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    expect(faults).toEqual([]);
  });

  it.each([
    ["as a module", `import("/afterword/afterword.js")`],
    ["as text", `fetch("/afterword/afterword.js").then((reply) => reply.text()).then(setTimeout)`],
  ])(
    "a script that runs %s, where no script is the current one, takes the attributes in the page",
    async (_, how) => {
      const { page, faults } = await world.open({ before: stories });
      await page.waitForFunction("afterword.isOpen");
      await page.evaluate(`delete window.afterword; ${how}`);
      await page.waitForFunction("window.afterword?.isOpen");
      await page.evaluate(`afterword("ask", "when-asked")`);
      await page.locator(rating(3)).waitFor();
      expect(faults).toEqual([]);
    },
  );

  it("circular traits change nothing and are reported", async () => {
    const { page } = await world.open({
      before: `${stories} const circle = {}; circle.self = circle; afterword("identify", "${newPerson()}", circle);`,
    });
    await expect.poll(() => page.evaluate("errors[0]?.message")).toContain("circular");
    expect(await page.evaluate(`afterword("respondent")`)).toMatchObject({ kind: "anon-conversation" });
  });
});

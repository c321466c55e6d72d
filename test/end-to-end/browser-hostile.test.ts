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

describe("whatever the service sends ends cleanly", () => {
  const script = { type: "script", props: { children: "window.hacked = 1" } };

  it.each([
    ["a question that looks like an element", { question: script }],
    ["an unknown type", { type: "stars" }],
    ["the name of a property of all objects as its type", { type: "constructor" }],
    ["an unknown presentation", { presentation: "modal" }],
    ["rules that are no list", { targeting: { plan: "pro" } }],
  ])("%s: that survey is unsupported, and the next one is asked", async (_, parts) => {
    const surveys = [null, survey("odd", parts), survey("good")];
    const context = await answering({
      surveys,
      suppression: [],
      showTokens: { odd: "st1.o", good: "st1.g" },
    });
    const { page, faults } = await world.open({ before: stories }, context);
    await page.locator(rating(3)).waitFor();
    expect(await page.evaluate("[reasons, errors, 'hacked' in window]")).toEqual([
      [["odd", "unsupported"]],
      [],
      false,
    ]);
    expect(faults).toEqual([]);
  });

  it("an invalid code, instance or retry-after becomes an ordinary error, reported once", async () => {
    const body = { code: { toString: 1 }, instance: ["a sentence of a person"] };
    const context = await answering(body, 403, { "retry-after": "Infinity" });
    const { page, faults } = await world.open({ before: stories }, context);
    await expect
      .poll(() => page.evaluate("errors"))
      .toEqual([{ code: "refused", message: "POST /v1/sdk/bootstrap: 403 (refused)" }]);
    expect(faults).toEqual([]);
  });
});

describe("a file of the widget that does not come", () => {
  it("fails: load-failed, with a hint", async () => {
    const context = await world.newContext();
    await context.route("**/afterword-ui.js", (route) => route.abort());
    const { page } = await world.open({ before: `${stories} afterword("ask", "when-asked");` }, context);
    await expect.poll(() => page.evaluate("reasons")).toEqual([["when-asked", "load-failed"]]);
    expect(await page.evaluate("errors")).toMatchObject([
      { code: "load_failed", message: expect.stringContaining("no CORS headers?") },
    ]);
  });

  it("texts of a language that never arrive are replaced by English after 15 seconds", async () => {
    const context = await world.newContext();
    await context.clock.install();
    const asked = Promise.withResolvers<void>();
    await context.route("**/texts/de.js", () => asked.resolve());
    const { page } = await world.open({ attributes: `data-language="de"`, before: stories }, context);
    await page.waitForFunction("afterword.isOpen");
    await page.evaluate(`afterword("ask", "when-asked")`);
    await asked.promise;
    expect(await page.locator(rating(3)).count()).toBe(0);
    await page.clock.runFor(16_000);
    await page.locator(rating(3)).check();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you").waitFor();
    expect(await page.evaluate("reasons")).toEqual([]);
  });

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

  it("is not loaded for a survey that something else rules out", async () => {
    const { page, loads } = await askBoth(replies, (route) => route.continue());
    await expect.poll(() => page.evaluate("reasons")).toEqual([["sold-out", "gated"]]);
    await page.evaluate(`afterword("ask", "for-all")`);
    await page.locator(rating(3)).waitFor();
    expect(loads()).toBe(0);
  });

  it("shows the survey to those who are meant", async () => {
    const { page, loads } = await askBoth(withToken, (route) => route.continue());
    await page.locator(rating(3)).waitFor();
    expect(loads()).toBe(1);
  });

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

  it("a secret key: nothing is sent, and console and error say what to do", async () => {
    const seen = world.proxy.seen.length;
    const { page } = await world.open({ before: stories });
    await page.waitForFunction("afterword.isOpen");
    await expect.poll(() => world.proxy.seen.length).toBe(seen + 1);
    const [line] = await Promise.all([
      page.waitForEvent("console", (message) => message.type() === "error"),
      page
        .evaluate(
          `{
        const { baseUrl } = document.querySelector("script[data-key]").dataset;
        delete window.afterword;
        const script = Object.assign(document.createElement("script"), { src: "/afterword/afterword.js" });
        Object.assign(script.dataset, { key: "aw_sk_0123456789", baseUrl });
        script.onload = () => { afterword("on", "error", ({ code }) => errors.push(code)); afterword("ask", "x"); };
        document.head.append(script);
      }`,
        )
        .catch(() => undefined),
    ]);
    expect(line.text()).toContain("Use the publishable key");
    await expect.poll(() => page.evaluate("errors")).toEqual(["secret_key"]);
    expect(world.proxy.seen.length).toBe(seen + 1);
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

  it("an element with the id afterword does not stand in the way of the script", async () => {
    const { page } = await world.open({
      body: `<p id="afterword"></p>`,
      before: "delete window.afterword;",
    });
    await page.waitForFunction("typeof afterword === 'function' && afterword.isOpen");
    await page.evaluate(`afterword("ask", "when-asked")`);
    await page.locator(rating(3)).waitFor();
    expect(await page.locator(rating(3)).count()).toBe(1);
  });
});

describe("<afterword-survey>", () => {
  const slots = (page: { evaluate: (script: string) => Promise<unknown> }, html: string) =>
    page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}`);

  it("is filled beside a survey in the corner", async () => {
    const { page } = await world.open({ before: `${stories} afterword("ask", "when-asked");` });
    await page.locator(rating(3)).waitFor();
    await slots(page, `<afterword-survey slug="in-the-page"></afterword-survey>`);
    await page.locator(`afterword-survey ${rating(7)}`).waitFor();
    expect(await page.locator(rating(3)).count()).toBe(2);
    expect(await page.evaluate("reasons")).toEqual([]);
  });
});

import { inspect } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { canaries, leaksIn } from "../canaries.ts";
import { isFullProof } from "../faults/proof-scale.ts";
import { useWorld } from "./browser-world.ts";
import type { Fault, SeenRequest } from "./fault-proxy.ts";

// A service, or a proxy before it, that repeats all that a page sends.

const world = useWorld();
const { email, text, trait } = canaries;
let people = 0;

const echo = (status: number, wrap: (words: string) => unknown) => (request: SeenRequest) => {
  const body = wrap(JSON.stringify(request));
  return { status, body: typeof body === "string" ? body : JSON.stringify(body) };
};

const echoes: [title: string, fault: (request: SeenRequest) => Fault][] = [
  ["in a refusal", echo(400, (message) => ({ message, code: message, instance: message }))],
  [
    "in a refusal with a code of its own",
    echo(403, (detail) => ({ code: "no_entry", title: detail, detail })),
  ],
  ["in a conflict", echo(409, (detail) => ({ code: "token_used", detail }))],
  ["in a page", echo(404, (words) => `<p>${words}</p>`)],
  ["in a fault", echo(500, (words) => words)],
  ["in a success that is no JSON", echo(200, (words) => words)],
  ["in a success of another shape", echo(200, (echoed) => ({ echoed, surveys: [{ echoed }], id: [echoed] }))],
  ["with a lost reply", () => "reply-lost"],
];

/** All that the console and a page's listener get. */
async function hear(page: Page): Promise<string[]> {
  const heard: string[] = [];
  page.on("pageerror", (error) => heard.push(inspect(error, { depth: Infinity })));
  page.on("console", (message) => heard.push(`${message.text()} ${message.location().url}`));
  await page.exposeFunction("hear", (line: string) => void heard.push(line));
  return heard;
}

/** With a listener, the widget leaves errors to the page; without one it logs them. */
const listener = `afterword("on", "error", (error) =>
  hear([error, error.stack, ...Object.getOwnPropertyNames(error).map((name) => error[name])].join(" ")));`;

/** Opens a page on which a person who can be recognised rates an answer in words. */
async function rate(fault: (request: SeenRequest) => Fault | undefined, before: string) {
  const person = `${canaries.respondentId}-${(people += 1)}`;
  const run = await world.mint("manual", person, `${canaries.sessionId}-${people}`);
  const context = await world.newContext();
  const page = await context.newPage();
  const heard = await hear(page);
  const seen: SeenRequest[] = [];
  world.proxy.fault = (request) => {
    seen.push(request);
    // A page reads a reply only if the browser's own request before it was answered.
    return request.method === "POST" ? fault(request) : undefined;
  };
  await page.goto(
    world.publish({
      attributes: "data-debug",
      before: `${before} afterword("identify", "${person}", { plan: "${trait}" });
        afterword("install", ${JSON.stringify(run)}); afterword("ask", "no-such"); afterword("ask", "when-asked");`,
    }),
  );
  return { page, heard, seen, run };
}

describe.each([
  ["the page's listener and the console", listener],
  ["the console, without a listener,", ""],
])("%s", (_, before) => {
  // What a listener gets is what the console gets without one.
  const told = isFullProof ? echoes : echoes.slice(0, before ? 5 : 1);
  it.each(told)("get no word, id or token that a service repeats %s", async (_, fault) => {
    const { page, heard, seen, run } = await rate(
      (request) => (request.path === "/v1/sdk/responses" ? fault(request) : undefined),
      before,
    );
    await page.locator('input[value="2"]').check();
    await page.getByRole("textbox").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => leaksIn(JSON.stringify(seen))).toEqual(expect.arrayContaining([text, run.token]));
    await page.waitForTimeout(300);
    expect(heard.join("\n")).toContain("no-such");
    expect(leaksIn(heard.join("\n"))).toEqual([]);
  });

  it.each(told)("get none that it repeats when a page asks what to show, %s", async (_, fault) => {
    const { page, heard, seen } = await rate(fault, before);
    await expect
      .poll(() => leaksIn(JSON.stringify(seen)))
      .toEqual(expect.arrayContaining([canaries.respondentId]));
    await expect.poll(() => heard.join("\n")).toContain("afterword");
    await page.evaluate(`{
      afterword("install", { surveyId: "${email}", token: 1, sessionId: "${canaries.sessionId}" });
      afterword("identify", ["${email}"]); afterword("rate", { sessionId: "${email}" }, { text: "${text}" });
      afterword("mute", "${email}");
    }`);
    await page.waitForTimeout(300);
    expect(leaksIn(heard.join("\n"))).toEqual([]);
  });

  it("get no secret key that a page has by mistake", async () => {
    const { page, heard } = await rate(() => undefined, before);
    await page.waitForFunction("afterword.isOpen");
    await page.evaluate(`{
      const { baseUrl } = document.querySelector("script[data-key]").dataset;
      delete window.afterword;
      const script = Object.assign(document.createElement("script"), { src: "/afterword/afterword.js" });
      Object.assign(script.dataset, { key: "${canaries.secretKey}", baseUrl });
      script.onload = () => { ${before} afterword("ask", "x"); };
      document.head.append(script);
    }`);
    await expect.poll(() => heard.join("\n")).toContain("secret key");
    expect(leaksIn(heard.join("\n"))).toEqual([]);
  });
});

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { connect, createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { scoreValue } from "@afterword/node/forwarder";
import { type BrowserContext, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerFolder, serverProgram } from "./server-program.ts";
import { sharedBrowser } from "./shared-browser.ts";

interface Dev extends AsyncDisposable {
  url: string;
  publishableKey: string;
  secretKey: string;
}

/** A program that outlives a failed test would keep the runner's streams open, and so the runner. */
const running = new Set<ChildProcess>();

/** The first line of a program that goes on, and how to end it. */
async function start(cwd: string, ...words: string[]): Promise<{ line: string; child: ChildProcess }> {
  const child = spawn(process.execPath, words, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(([code]) => {
      throw new Error(`${words.join(" ")} ended with ${code}`);
    }),
  ])) as [string];
  return { line, child };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function startDev(folder: ServerFolder, ...words: string[]): Promise<Dev> {
  const { line, child } = await start(folder.path, serverProgram, "dev", "--port", "0", "--json", ...words);
  return { ...(JSON.parse(line) as Dev), [Symbol.asyncDispose]: () => stop(child) };
}

/** A request with any Host header, which `fetch` does not allow. Resolves with status and body. */
function ask(url: string, headers: Record<string, string>, method = "GET"): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (reply) => {
      text(reply).then((body) => resolve([reply.statusCode!, body]), reject);
    });
    sent.on("error", reject).end();
  });
}

const ownPaths = [
  "/",
  "/dev/data/project",
  "/dev/preview/0",
  "/dev/results",
  "/v1/sdk/bootstrap",
  "/healthz",
];

describe("afterword-server dev", () => {
  const folder = new ServerFolder();
  let dev: Dev;
  let context: BrowserContext;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    dev = await startDev(folder);
    context = await (await sharedBrowser()).newContext({ viewport: { width: 1300, height: 900 } });
    page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(dev.url);
  });
  afterAll(async () => {
    await context?.close();
    await Promise.all([...running].map(stop));
    folder[Symbol.dispose]();
  });

  const preview = (id: string) => page.frameLocator(`iframe[title="Preview of ${id}"]`);
  const entries = () => page.locator("#entries li").allTextContents();
  const choose = (id: string) => page.getByRole("radio", { name: id }).check();
  /** Chooses a survey, and unfolds its JSON. */
  const editorOf = async (id: string) => {
    await choose(id);
    const editor = page.getByLabel(`JSON of ${id}`);
    if (!(await editor.isVisible()))
      await page.locator(".survey", { has: editor }).getByText("Edit its JSON").click();
    return editor;
  };
  const logged = (text: string | RegExp) => page.locator("#entries li", { hasText: text }).first();

  it("keeps everything in .afterword, which git ignores", () => {
    expect(readFileSync(folder.file(".afterword/.gitignore"), "utf8")).toBe("*\n");
    expect(readdirSync(folder.path)).toEqual([".afterword"]);
  });

  it("leads a first visitor through three steps, of which nothing is cut off at the side", async () => {
    const headings = ["Answer a survey", "Connect your app", "See what arrives"];
    expect(await page.locator("h2").allTextContents()).toEqual(headings);
    await page.locator("#snippets summary").first().waitFor();
    const { height, wide } = await page.evaluate(() => {
      for (const fold of document.querySelectorAll("#snippets details"))
        (fold as HTMLDetailsElement).open = true;
      const code = [...document.querySelectorAll("#snippets pre")];
      const wide = code.filter(
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth || clientWidth === 0,
      );
      for (const fold of document.querySelectorAll("details")) fold.open = false;
      return { height: document.documentElement.scrollHeight, wide: wide.length };
    });
    expect(wide).toBe(0);
    expect(height).toBeLessThan(1500);
  });

  it("shows what its own previews do, and after a reload what they did", async () => {
    await preview("satisfaction").locator("afterword-view").first().waitFor();
    await logged("satisfaction (preview)").waitFor();
    expect(await page.locator("#quiet").isVisible()).toBe(false);
    await page.reload();
    await logged("satisfaction (preview)").waitFor();
  });

  it("draws a survey of each type, and one for thumbs", async () => {
    for (const id of ["satisfaction", "recommendation", "ease", "loss"]) {
      await choose(id);
      await preview(id).locator("afterword-view").first().waitFor();
    }
    await choose("answer");
    await preview("answer").getByRole("button").first().waitFor();
    const types = await page.locator(".survey label span").allTextContents();
    expect(new Set(types.map((text) => text.split(",")[0]))).toEqual(new Set(["csat", "nps", "ces", "pmf"]));
    await logged("shown").waitFor();
    expect(types).toHaveLength(5);
  });

  it("draws an edited survey, stores its answer, delivers the score as a sink gets it, and counts it", async () => {
    const editor = await editorOf("satisfaction");
    const json = await editor.inputValue();
    await editor.fill(json.replace("How well did the agent do this task?", "<b>Was it</b> done well?"));
    const asked = preview("satisfaction").locator("legend", { hasText: "<b>Was it</b> done well?" });
    await asked.waitFor();
    await logged("edited").waitFor();
    await preview("satisfaction").getByRole("radio").nth(3).click();
    await preview("satisfaction").getByRole("button", { name: /send/i }).click();
    await logged(/stored.*satisfaction: rating 4/).waitFor();
    await logged("delivered").waitFor();
    const shown = await page.locator("#score-list pre").first().textContent();
    const score = JSON.parse(shown!) as Parameters<ReturnType<typeof scoreValue>>[0];
    expect(score).toMatchObject({
      surveyId: "satisfaction",
      rating: 4,
      normalised: 0.75,
      label: "satisfied",
    });
    expect(score).toEqual(await scoreValue({ surveys: { satisfaction: "csat" } })(score));
    const [report] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Open the report" }).click(),
    ]);
    await report.getByText("1 answer of 1 person").first().waitFor();
    await report.close();
  });

  it("draws the previews with the CSS that is tried, also after a reload", async () => {
    await page.getByText("Try the CSS of your page").click();
    await choose("ease");
    const css = "html { --afterword-background: rgb(1, 20, 90); --afterword-radius: 3px }";
    await page.getByLabel("CSS of the previews").fill(css);
    const look = () =>
      preview("ease")
        .locator("section")
        .first()
        .evaluate((card) => {
          const { borderRadius, backgroundColor } = getComputedStyle(card);
          return [borderRadius, backgroundColor];
        });
    await expect.poll(look).toEqual(["3px", "rgb(1, 20, 90)"]);
    await page.reload();
    await choose("ease");
    await expect.poll(look, { timeout: 20_000 }).toEqual(["3px", "rgb(1, 20, 90)"]);
    await page.evaluate(() => localStorage.removeItem("look"));
    await page.reload();
  });

  it("says in one line what is wrong with a survey, and keeps the last valid one", async () => {
    const editor = await editorOf("loss");
    const state = page.locator(".survey", { has: editor }).getByRole("status");
    const json = await editor.inputValue();
    for (const [broken, expected] of [
      [json.replace('"pmf"', '"stars"'), /^Survey "loss": type: .+ Correct it\.$/],
      [json.replace('"loss"', '"ease"'), /^Survey "loss": id: is the same as .+ Correct it\.$/],
      [json.slice(1), /^Survey "loss" is not valid JSON: .+ Correct it\.$/],
    ] as const) {
      await editor.fill(broken);
      await expect.poll(() => state.textContent()).toMatch(expected);
    }
    expect(readFileSync(folder.file(".afterword/config.json"), "utf8")).toContain('"type": "pmf"');
    await preview("loss").locator("legend", { hasText: "How would you feel" }).waitFor();
  });

  it("says why nothing is shown", async () => {
    const editor = await editorOf("ease");
    const json = await editor.inputValue();
    const targeted = {
      ...(JSON.parse(json) as object),
      targeting: [{ trait: "plan", op: "eq", value: "pro" }],
    };
    await editor.fill(JSON.stringify(targeted));
    await logged("ease: the traits do not match its targeting").waitFor();
    await preview("ease").getByRole("button", { name: "Draw it anyway" }).click();
    expect(await preview("ease").locator("legend").textContent()).toBe("How easy was it to get this done?");
    await editor.fill(json.replace('"active"', '"paused"'));
    await logged('no token; none for ease (survey_inactive: set its "status" to "active"').waitFor();
  });

  it("does not ask for a call of `ask` where a survey of thumbs waits for none", async () => {
    const headers = { origin: "http://localhost:3000" };
    for (const slug of ["answer", "loss"]) {
      const body = JSON.stringify({ name: "notShown", slug, reason: "manual", page: "/chat" });
      expect((await fetch(`${dev.url}/dev/seen`, { method: "POST", headers, body })).status).toBe(204);
    }
    await logged(
      'not shownloss: its trigger is manual, so it waits for the page: call ask("loss")',
    ).waitFor();
    expect((await entries()).join("\n")).not.toContain("not shownanswer");
  });

  it("logs what is refused, and never a key or a token", async () => {
    const reply = await fetch(`${dev.url}/v1/sdk/bootstrap`, {
      method: "POST",
      headers: { "content-type": "application/json", "origin": "https://shop.example" },
      body: JSON.stringify({ key: dev.publishableKey }),
    });
    expect(reply.status).toBe(403);
    await logged(/refused.*from https:\/\/shop\.example: 403 origin_not_allowed/).waitFor();
    expect((await entries()).join("\n")).not.toMatch(/aw_[ps]k_|st\d\./);
  });

  it("answers a request that names another host in place of a path with 403, and takes its own", async () => {
    const { port } = new URL(dev.url);
    const statusOf = (target: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), "127.0.0.1");
        let text = "";
        socket.on("data", (chunk) => (text += String(chunk))).on("error", reject);
        socket.on("close", () => resolve(text.slice(9, 12)));
        socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
      });
    for (const path of ["/dev/data/project", "/healthz"]) {
      for (const host of ["evil.example", `evil.example:${port}`, "localhost@evil.example"])
        expect(await statusOf(`http://${host}${path}`)).toBe("403");
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
        expect(await statusOf(`http://${host}${path}`)).toBe("200");
    }
  });

  it("stores an edit in database and file, or in neither, and says why in one line", async () => {
    const { port } = new URL(dev.url);
    const headers = { host: `localhost:${port}` };
    const config = folder.file(".afterword/config.json");
    const before = readFileSync(config, "utf8");
    const [survey] = (JSON.parse(before) as { projects: { surveys: { question: string }[] }[] }).projects[0]!
      .surveys;
    const put = async (question: string) => {
      const body = JSON.stringify({ ...survey, question });
      const reply = await fetch(`${dev.url}/dev/data/surveys/0`, { method: "PUT", headers, body });
      return [reply.status, await reply.json()] as const;
    };
    const questions = async () => {
      const body = JSON.stringify({ key: dev.publishableKey, userId: "someone" });
      const json = { "content-type": "application/json", "origin": dev.url };
      const reply = await fetch(`${dev.url}/v1/sdk/bootstrap`, { method: "POST", headers: json, body });
      const [, page] = await ask(`${dev.url}/dev/data/project`, headers);
      return (await reply.text()) + page;
    };
    // A full disk, as the kernel says it.
    symlinkSync("/dev/full", `${config}.part`);
    expect(await put("On a full disk?")).toEqual([
      503,
      {
        problem:
          "Not stored: ENOSPC: no space left on device. Make room or bring its folder back, and edit again.",
      },
    ]);
    renameSync(folder.file(".afterword"), folder.file("away"));
    expect(await put("Without its folder?")).toEqual([
      503,
      {
        problem: expect.stringMatching(
          /^Not stored: ENOENT: no such file or directory\. .+ and edit again\.$/,
        ),
      },
    ]);
    renameSync(folder.file("away"), folder.file(".afterword"));
    expect(await questions()).not.toMatch(/On a full disk|Without its folder/);
    expect(readFileSync(config, "utf8")).toBe(before);
    expect((await put("And now?"))[0]).toBe(200);
    expect([await questions(), readFileSync(config, "utf8")]).toEqual([
      expect.stringContaining("And now?"),
      expect.stringContaining("And now?"),
    ]);
    expect((await put(survey!.question))[0]).toBe(200);
    expect(existsSync(`${config}.part`)).toBe(false);
  });

  it("copies each snippet, and the JSON of a survey as it stands in the editor", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: dev.url });
    await page.bringToFront();
    const pressed = async (button: Locator) => {
      await button.click();
      await expect.poll(() => button.textContent()).toBe("Copied");
      return page.evaluate(() => navigator.clipboard.readText());
    };
    for (const block of await page.locator("#snippets > div").all()) {
      const code = await block.locator("pre").textContent();
      expect(await pressed(block.getByRole("button"))).toBe(code);
    }
    const editor = await editorOf("ease");
    await editor.fill(`${await editor.inputValue()}\n`);
    const card = page.locator(".survey", { has: editor });
    const button = card.getByRole("button");
    expect(await pressed(button)).toBe(await editor.inputValue());
    await expect.poll(() => button.textContent(), { timeout: 5_000 }).toBe("Copy");
  });

  it("gives snippets that work as they stand, on a page of another port", async () => {
    const app = folder.file("app");
    mkdirSync(`${app}/public`, { recursive: true });
    symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), `${app}/node_modules`);
    await page.getByLabel("Your page").selectOption("Script tag");
    await page.getByLabel("Your server").selectOption("Hono");
    for (const block of await page.locator("#snippets > div").all()) {
      const [file, code] = [
        await block.locator("code").textContent(),
        await block.locator("pre").textContent(),
      ];
      // Only the port is the test's own.
      writeFileSync(`${app}/${file}`, `${code}${file === ".env" ? "PORT=0\n" : ""}`);
    }
    const { line, child } = await start(app, "--env-file=.env", "server.ts");
    const shop = await context.newPage();
    await shop.goto(line);
    await shop.waitForFunction(() => "isOpen" in (window as unknown as { afterword: object }).afterword);
    await shop.getByRole("button", { name: "Ask the agent" }).click();
    await shop.locator("legend", { hasText: "<b>Was it</b> done well?" }).waitFor();
    await shop.getByRole("radio").first().click();
    await shop.getByRole("button", { name: /send/i }).click();
    await logged(/shown ?satisfaction, on http:\/\/localhost:\d+\//).waitFor();
    await logged(/stored.*satisfaction: rating 1, session/).waitFor();
    const order = /^[^\n]*delivered[^]*?stored[^]*?shown[^]*?mint[^]*?bootstrap/;
    await expect.poll(async () => (await entries()).join("\n"), { timeout: 20_000 }).toMatch(order);
    await shop.close();
    await stop(child);
  });

  it("gives snippets that show the answer without the widget, and while the service is down", async () => {
    const app = folder.file("app");
    writeFileSync(`${app}/.env.down`, "AFTERWORD_BASE_URL=http://127.0.0.1:1\n");
    const shop = await context.newPage();
    for (const files of [[".env"], [".env", ".env.down"]]) {
      const { line, child } = await start(app, ...files.map((file) => `--env-file=${file}`), "server.ts");
      if (files.length === 1) await shop.route("**/widget/**", (route) => route.abort());
      await shop.goto(line);
      await shop.getByRole("button", { name: "Ask the agent" }).click();
      const answer = shop.locator("p", { hasText: /^You asked: Where is my order\?$/ });
      await expect.poll(() => answer.count(), { timeout: 20_000 }).toBe(1);
      await shop.unrouteAll();
      await stop(child);
    }
    await shop.close();
  });

  it.each(["/", "/dev/results"])(
    "%s has no accessibility violation, also with all of it unfolded",
    async (path) => {
      const shown = await context.newPage();
      await shown.goto(dev.url + path);
      await shown.locator("summary").first().waitFor();
      await shown.locator("details").evaluateAll((all) => {
        for (const fold of all) (fold as HTMLDetailsElement).open = true;
      });
      const { violations } = await new AxeBuilder({ page: shown }).analyze();
      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
      await shown.close();
    },
  );

  it("breaks no rule of its content security policy, and fits a phone", async () => {
    // The two refusals of the editor are answers with 400, which a console lists.
    expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    const isWider = () => document.documentElement.scrollWidth > innerWidth;
    expect(await page.evaluate(isWider)).toBe(false);
    await page.setViewportSize({ width: 1300, height: 900 });
  });

  it.each(ownPaths)("answers %s to no other host name than localhost, 127.0.0.1 and [::1]", async (path) => {
    const { port } = new URL(dev.url);
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "localhost.evil.example",
      "localhost@evil.example",
    ])
      expect(await ask(`http://127.0.0.1:${port}${path}`, { host })).toEqual([
        403,
        expect.stringMatching(/^afterword-server dev answers only .+\n$/),
      ]);
    for (const name of ["localhost", "127.0.0.1", "[::1]"])
      expect((await ask(`http://127.0.0.1:${port}${path}`, { host: `${name}:${port}` }))[0]).not.toBe(403);
  });

  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all);
  /** An address of a link needs its interface; the others stand for it. */
  const isOwn = ({ internal, scopeid }: (typeof addresses)[number]) => !internal && !scopeid;
  // On Linux the whole of 127.0.0.0/8 is this machine, so that one without a network has an address to try, too.
  it("listens on no other address of this machine", async () => {
    const others = ["127.0.0.2", "::1", ...addresses.filter(isOwn).map(({ address }) => address)];
    for (const address of others) {
      const socket = connect(Number(new URL(dev.url).port), address);
      await expect(once(socket, "connect"), address).rejects.toThrow("ECONNREFUSED");
    }
  });

  it("shows its keys to no page of another port, and lets it change nothing", async () => {
    const { port } = new URL(dev.url);
    const origin = "http://localhost:3000";
    for (const path of ["/", "/dev/data/project", "/dev/results"]) {
      const reply = await fetch(dev.url + path, { headers: { origin } });
      expect(reply.headers.get("access-control-allow-origin")).toBeNull();
      expect(reply.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
    const foreign = { host: `localhost:${port}`, origin };
    const embedded = { "host": `localhost:${port}`, "sec-fetch-site": "same-site" };
    for (const headers of [foreign, embedded]) {
      expect((await ask(`${dev.url}/dev/data/project`, headers))[0]).toBe(403);
      expect((await ask(`${dev.url}/dev/data/surveys/0`, headers, "PUT"))[0]).toBe(403);
      expect((await ask(`${dev.url}/dev/preview/0`, headers))[0]).toBe(403);
    }
  });
});

describe("afterword-server dev over several runs", () => {
  const folder = new ServerFolder();
  afterAll(() => folder[Symbol.dispose]());

  it("prints its address and both keys, and warns that it is for development", async () => {
    const words = [serverProgram, "dev", "--port", "0"];
    const child = spawn(process.execPath, words, { cwd: folder.path, stdio: ["ignore", "pipe", "pipe"] });
    const [out, error] = [child.stdout, child.stderr].map((stream) => text(stream));
    await once(child.stderr, "data");
    await stop(child);
    expect(await out).toMatch(
      /^Open http:\/\/localhost:\d+\/ .+\n +publishable key +aw_pk_\w+\n +secret key +aw_sk_\w+\n/,
    );
    expect(await error).toMatch(/^For development only: .+\n$/);
  });

  it("keeps keys and surveys, and --reset begins anew", async () => {
    const first = await startDev(folder);
    // At once, as from two editors: neither undoes the other.
    const edits = ["satisfaction", "recommendation"].map((id, index) => {
      const body = JSON.stringify({ ...survey, id, slug: id, question: `Kept, ${id}?` });
      return fetch(`${first.url}/dev/data/surveys/${index}`, { method: "PUT", body });
    });
    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual([200, 200]);
    await first[Symbol.asyncDispose]();
    writeFileSync(folder.file(".afterword/mine.txt"), "not of dev");
    const second = await startDev(folder);
    expect(second.secretKey).toBe(first.secretKey);
    const kept = await (await fetch(`${second.url}/dev/data/project`)).text();
    expect(kept).toMatch(/Kept, satisfaction\?.*Kept, recommendation\?/);
    await second[Symbol.asyncDispose]();
    await using third = await startDev(folder, "--reset");
    expect(third.secretKey).not.toBe(first.secretKey);
    expect(await (await fetch(`${third.url}/dev/data/project`)).text()).not.toContain("Kept, ");
    expect(existsSync(folder.file(".afterword/mine.txt"))).toBe(true);
  });

  it("numbers its log on after a restart, for a page that stayed open, and leaves a .gitignore as it is", async () => {
    writeFileSync(folder.file(".afterword/.gitignore"), "*\n!mine.txt\n");
    const numberOfRefusal = async () => {
      await using dev = await startDev(folder);
      await fetch(`${dev.url}/v1/sdk/bootstrap`, { method: "POST" });
      const { entries } = (await (await fetch(`${dev.url}/dev/data/news?after=0`)).json()) as {
        entries: { number: number }[];
      };
      return entries.at(-1)!.number;
    };
    const before = await numberOfRefusal();
    expect(await numberOfRefusal()).toBeGreaterThan(before);
    expect(readFileSync(folder.file(".afterword/.gitignore"), "utf8")).toBe("*\n!mine.txt\n");
  });

  it("allows no page of localhost once `serve` reads its config", async () => {
    await using server = await folder.serve("--config", ".afterword/config.json", "--db", "served.db");
    const key = server.projects[0]!.publishableKey;
    const headers = { "origin": "http://localhost:3000", "content-type": "application/json" };
    const reply = await fetch(`${server.url}/v1/sdk/bootstrap?key=${key}`, {
      method: "POST",
      headers,
      body: "{}",
    });
    expect(reply.status).toBe(403);
  });

  it("limits no rates, but writes no such config; `serve` warns of one without limits", async () => {
    const first = readFileSync(folder.file(".afterword/config.json"), "utf8");
    // Every reply of a limited route has its limit.
    const isLimited = async ({ url }: { url: string }, key: string) => {
      const path = `/v1/sdk/bootstrap?key=${key}`;
      return (await fetch(url + path, { method: "POST", body: "{}" })).headers.has("ratelimit");
    };
    const configs = [first, JSON.stringify({ ...(JSON.parse(first) as object), rateLimits: false })];
    const served = [];
    for (const config of configs) {
      writeFileSync(folder.file("config.json"), config);
      await using server = await folder.serve("--config", "config.json", "--db", ":memory:");
      const hasLimits = await isLimited(server, server.projects[0]!.publishableKey);
      await server.stop();
      served.push([hasLimits, server.log.filter((line) => line.includes("rate limits")).length]);
    }
    expect(served).toEqual([
      [true, 0],
      [false, 1],
    ]);
    await using dev = await startDev(folder);
    expect(await isLimited(dev, dev.publishableKey)).toBe(false);
  });

  it("leaves scores in the queue with --no-forward", async () => {
    await using dev = await startDev(folder, "--no-forward");
    const post = async (path: string, body: object) => {
      const headers = { "content-type": "application/json", "authorization": `Bearer ${dev.secretKey}` };
      const reply = await fetch(dev.url + path, { method: "POST", headers, body: JSON.stringify(body) });
      return (await reply.json()) as { tokens: Record<string, string> };
    };
    const { tokens } = await post("/v1/sdk/tokens", { respondentId: "ada", sessionId: "run-1" });
    const showToken = tokens["ease"];
    await post("/v1/sdk/responses", { key: dev.publishableKey, showToken, surveyId: "ease", rating: 7 });
    const headers = { authorization: `Bearer ${dev.secretKey}` };
    const pending = await (await fetch(`${dev.url}/v1/sdk/pending-scores`, { headers })).json();
    expect(pending).toMatchObject({ scores: [{ surveyId: "ease", rating: 7, sessionId: "run-1" }] });
  });
});

const survey = {
  type: "csat",
  presentation: "corner",
  trigger: "manual",
  status: "active",
};

describe("afterword-server dev, where it cannot start", () => {
  const folder = new ServerFolder();
  afterAll(() => folder[Symbol.dispose]());

  it("names a port that is taken, and leaves nothing in the folder", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, error, out } = await folder.run("dev", "--port", String(port));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toMatch(new RegExp(`^Port ${port} on 127.0.0.1 is in use: .+ --port\\.\n$`));
    expect(readdirSync(folder.path)).toEqual([]);
    other.close();
  });

  it("names a folder that cannot be written, and leaves nothing behind", async () => {
    writeFileSync(folder.file("file"), "");
    for (const place of ["file", "nowhere", "/proc"]) {
      const { code, error } = await folder.run("dev", "--port", "0", "--folder", place);
      expect(code).toBe(3);
      expect(error).toMatch(/^Could not write to \S+\.afterword: .+ --folder\.\n$/);
    }
    expect(readdirSync(folder.path)).toEqual(["file"]);
  });

  it("names a link to nowhere or a file in place of its folder, and leaves it", async () => {
    for (const [put, expected] of [
      [
        (path: string) => symlinkSync("nowhere", path),
        /^Could not write to .afterword: EEXIST: .+ --folder\.\n$/,
      ],
      [
        (path: string) => writeFileSync(path, "mine"),
        /^.afterword is not a folder: move it away, .+ --folder\.\n$/,
      ],
    ] as const) {
      put(folder.file(".afterword"));
      const { code, error } = await folder.run("dev", "--port", "0");
      expect([code, error]).toEqual([3, expect.stringMatching(expected)]);
      expect(readdirSync(folder.path)).toContain(".afterword");
      unlinkSync(folder.file(".afterword"));
    }
  });

  it("names a config file that is broken, and leaves it as it is", async () => {
    mkdirSync(folder.file(".afterword"));
    writeFileSync(folder.file(".afterword/config.json"), "{ broken");
    const { code, error } = await folder.run("dev", "--port", "0");
    expect(code).toBe(3);
    expect(error).toMatch(/^Could not read .afterword\/config\.json: .+ --reset\.\n$/);
    expect(readFileSync(folder.file(".afterword/config.json"), "utf8")).toBe("{ broken");
  });

  it("leaves the folder to a `dev` that already uses it", async () => {
    await using other = await startDev(folder, "--reset");
    const { code, error } = await folder.run("dev", "--port", "0", "--reset");
    expect(code).toBe(3);
    expect(error).toMatch(/^Another server already serves .+\n$/);
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
  });
});

import { inflateSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { newPerson, useWorld } from "../end-to-end/browser-world.ts";

const world = useWorld();
const tools = ["sentry", "datadogRum"] as const;
const bundled = new Map<string, string>();

beforeAll(async () => {
  for (const tool of tools) {
    const contents = `import { ${tool} } from "./pages/replay.ts"; ${tool}();`;
    const resolveDir = fileURLToPath(new URL(".", import.meta.url));
    const { outputFiles } = await build({ stdin: { contents, resolveDir }, bundle: true, write: false });
    bundled.set(tool, outputFiles[0]!.text);
  }
});

/** What of a body may be text: itself, and every zlib stream in it. */
function textsOf(body: Buffer): string {
  const texts = [body.toString("latin1")];
  for (let at = body.indexOf(0x78); at >= 0; at = body.indexOf(0x78, at + 1)) {
    try {
      texts.push(inflateSync(body.subarray(at), { finishFlush: 2 }).toString());
    } catch {
      // No stream begins here.
    }
  }
  return texts.join("\n");
}

/** What a page sends to its tool. */
async function record(page: Page) {
  const sent: string[] = [];
  await page.route(/\/api\/1\/envelope|\/datadog/, async (route) => {
    sent.push(textsOf(route.request().postDataBuffer() ?? Buffer.alloc(0)));
    await route.fulfill({ status: 200, body: "{}" });
  });
  return () => sent.join("\n");
}

it.each(tools)(
  "%s records what is typed into the page, and not what is typed into a survey",
  async (tool) => {
    const page = await (await world.newContext()).newPage();
    const sent = await record(page);
    const before = `addEventListener("load", () => document.body.append(document.createElement("input")));
    afterword("identify", "${newPerson()}"); afterword("ask", "when-asked");`;
    await page.goto(world.publish({ before: `${bundled.get(tool)}\n${before}` }));
    await page.locator('input[value="2"]').check();
    await page.locator("textarea").pressSequentially("words for the survey");
    await page.locator("body > input").pressSequentially("words for the page");
    await expect.poll(sent, { timeout: 20_000 }).toContain("words for the page");
    expect(sent()).not.toContain("words for the surv");
  },
  40_000,
);

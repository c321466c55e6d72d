import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { Afterword, createMintHandler } from "@afterword/node";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPerson, useWorld } from "../end-to-end/browser-world.ts";

const world = useWorld();

/** The tracers, and a header that each adds to requests. */
const tracers = {
  openTelemetry: "traceparent",
  sentry: "baggage",
  datadog: "x-datadog-trace-id",
  others: "x-amzn-trace-id",
} as const;
type Tracer = keyof typeof tracers;

const bundled = new Map<Tracer, string>();

/** The script of a page that sets up a tracer before anything else. */
async function scriptOf(tracer: Tracer): Promise<string> {
  const contents = `import { ${tracer} } from "./pages/tracers.ts"; ${tracer}();`;
  const resolveDir = fileURLToPath(new URL(".", import.meta.url));
  const { outputFiles } = await build({ stdin: { contents, resolveDir }, bundle: true, write: false });
  return outputFiles[0]!.text;
}

beforeAll(async () => {
  for (const tracer of Object.keys(tracers) as Tracer[]) bundled.set(tracer, await scriptOf(tracer));
});

/** The headers of the requests that a page sends to a path. */
function watchHeaders(page: Page, path: string) {
  const seen: Promise<Record<string, string>>[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith(path) && request.method() === "POST") seen.push(request.allHeaders());
  });
  return () => Promise.all(seen);
}

describe.each(Object.entries(tracers) as [Tracer, string][])("on a page that %s traces", (tracer, header) => {
  /** A page that asks a person. */
  async function openAsking(person: string) {
    const page = await (await world.newContext()).newPage();
    const before = `${bundled.get(tracer)}
      afterword("identify", "${person}"); afterword("ask", "when-asked");`;
    await page.goto(world.publish({ before }));
    await page.locator('input[value="4"]').check();
    const headers = watchHeaders(page, "/v1/sdk/responses");
    return { page, headers };
  }

  it("a survey is shown, and its answer is stored", async () => {
    const person = newPerson();
    const { page, headers } = await openAsking(person);
    await page.getByRole("textbox").fill("traced");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 4, text: "traced" }]);
    expect(await headers()).toEqual([expect.objectContaining({ [header]: expect.any(String) })]);
  });

  it("an answer that the person leaves behind is stored, too", async () => {
    const person = newPerson();
    const { page } = await openAsking(person);
    await page.goto("about:blank");
    await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 4 }]);
  });
});

describe("an app on another origin, with bearer tokens and a tracer", () => {
  let api: Server;
  let url: string;
  beforeAll(async () => {
    const client = new Afterword({
      baseUrl: world.service.url,
      secretKey: "aw_sk_browserstories0123456789ab",
    });
    const mint = createMintHandler({
      client,
      allowedOrigins: [world.site.url],
      authorize: ({ headers }) => ({
        respondentId: headers.get("authorization")!.replace("Bearer ", ""),
        sessionId: "run",
      }),
    });
    api = createServer(getRequestListener(mint));
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(api.address() as AddressInfo).port}/feedback`;
  });
  afterAll(() => void api.close().closeAllConnections());

  it.each(Object.keys(tracers) as Tracer[])("gets tokens from the mint handler: %s", async (tracer) => {
    const person = newPerson();
    const page = await (await world.newContext()).newPage();
    await page.goto(world.publish({ before: bundled.get(tracer) }));
    const reply = await page.evaluate(
      async ([url, person]) => {
        const headers = { authorization: `Bearer ${person}` };
        const response = await fetch(url!, { method: "POST", credentials: "include", headers });
        return (await response.json()) as object;
      },
      [url, person],
    );
    expect(reply).toMatchObject({ tokens: { manual: expect.any(String) }, sessionId: "run" });
  });
});

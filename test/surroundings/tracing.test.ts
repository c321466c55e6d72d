import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
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
});

import type { Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";
import type { World } from "../end-to-end/browser-world.ts";

/** A site with one page, as a test writes it. Its origin is neither that of the widget's files nor that of the service. */
export function usePage(world: World) {
  let server: Awaited<ReturnType<typeof serveLocally>>;
  let html = "";
  let given: Record<string, string> = {};
  beforeAll(async () => {
    server = await serveLocally((_, response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...given }).end(html),
    );
  });
  afterAll(() => server.close());

  /** Opens it, and collects what it writes to the console. */
  return async (
    body: string,
    headers: Record<string, string> = {},
  ): Promise<{ page: Page; lines: string[] }> => {
    [html, given] = [`<!doctype html><html lang="en"><title>Page</title>${body}`, headers];
    const page = await (await world.newContext()).newPage();
    const lines: string[] = [];
    page.on("console", (message) => lines.push(message.text()));
    page.on("pageerror", (error) => lines.push(error.message));
    await page.goto(server.url);
    return { page, lines };
  };
}

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import type { World } from "../end-to-end/browser-world.ts";

/** A site with one page, as a test writes it. Its origin is neither that of the widget's files nor that of the service. */
export function usePage(world: World) {
  let server: Server;
  let url: string;
  let html = "";
  let given: Record<string, string> = {};
  beforeAll(async () => {
    server = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...given }).end(html),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close().closeAllConnections());

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
    await page.goto(url);
    return { page, lines };
  };
}

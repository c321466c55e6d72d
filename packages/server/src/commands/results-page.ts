import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type OpenPort, startListening } from "@afterword/reference-server/internal";
import { pagePolicy } from "@afterword/results";

const host = "127.0.0.1";

const headers = {
  "cache-control": "no-store",
  "content-security-policy": `${pagePolicy}; frame-ancestors 'none'`,
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Serves the page of results on loopback at an address that cannot be guessed. A request that
 * names another host comes through a name that was pointed at this machine, and is refused.
 * @throws CannotListen when the port is taken
 */
export async function serveResults(port: number, page: () => Promise<string>): Promise<OpenPort> {
  const path = `/${randomBytes(24).toString("base64url")}/`;
  const app = new Hono();
  app.use(async (context, next) => {
    const { host: named } = new URL(context.req.url);
    if (context.req.header("host") !== authority || named !== authority)
      return context.text("Open the address that the command printed.\n", 421);
    return next();
  });
  app.get(path, async (context) => context.html(await page(), 200, headers));
  app.notFound((context) =>
    context.text("Open the address that the command printed, with all of its letters.\n", 404),
  );
  const server = createServer(getRequestListener(app.fetch));
  const flags = { host: "--open", port: "--port" };
  const { url, close } = await startListening(server, { host, port, flags });
  const authority = new URL(url).host;
  return { url: url + path, close };
}

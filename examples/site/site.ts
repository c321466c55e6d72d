import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer, type SurveyConfig } from "@afterword/reference-server";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";

/** The address and keys of an example's service. */
export interface Service {
  baseUrl: string;
  key: string;
  secretKey: string;
}

/** Starts a service with these surveys, for pages of any origin. */
export async function startService(surveys: SurveyConfig[]): Promise<Service> {
  const server = await startServer({
    config: { projects: [{ id: "example", name: "Example", allowedOrigins: ["*"], surveys }] },
  });
  // An in-memory database uses a private file, which close() removes.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void server.close().then(() => process.exit()));
  const { publishableKey, secretKey } = server.projects[0]!;
  return { baseUrl: server.url, key: publishableKey, secretKey: secretKey! };
}

/** The example's page, with the service's address and publishable key filled in. */
export function pageOf(file: URL, service: Service): string {
  return readFileSync(file, "utf8")
    .replaceAll("{{key}}", service.key)
    .replaceAll("{{baseUrl}}", service.baseUrl);
}

/** Serves the site, and the files of the browser package under `/afterword/`. Prints the address. */
export function serveSite(site: Hono): void {
  const root = dirname(fileURLToPath(import.meta.resolve("@afterword/browser/afterword.js")));
  const rewriteRequestPath = (path: string) => path.slice("/afterword".length);
  site.use("/afterword/*", serveStatic({ root, rewriteRequestPath }));
  const port = Number(process.env["PORT"] ?? 8080);
  serve({ fetch: site.fetch, hostname: "127.0.0.1", port }, (address) => {
    console.log(`http://127.0.0.1:${address.port}`);
  });
}

import { createRequire } from "node:module";
import { join } from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import { type MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { stringify } from "yaml";
import { endpoints, openApiDocument } from "@afterword/protocol";
import { type ServerApp } from "./router.ts";

/** No other hosts and no inline scripts. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI sets widths and positions as style attributes.
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Afterword: reference</title>
    <link rel="icon" href="docs/icon.png" />
    <link rel="stylesheet" href="docs/swagger-ui.css" />
  </head>
  <body>
    <main id="reference"></main>
    <noscript>This page needs JavaScript; <a href="openapi.yaml">openapi.yaml</a> has the same content.</noscript>
    <script src="docs/swagger-ui.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

// Do not store keys, and do not send the document to a validator.
const start = `SwaggerUIBundle({
  url: new URL("openapi.yaml", location.href).href,
  dom_id: "#reference",
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});
`;

/** The files that the page loads, and their names in Swagger UI. */
const files: Readonly<Record<string, string>> = {
  "swagger-ui.css": "swagger-ui.css",
  "swagger-ui.js": "swagger-ui-bundle.js",
  "icon.png": "favicon-32x32.png",
};

/** The build copies them beside the program, which therefore does not depend on the package. */
function fileAt(name: string): string {
  const isSource = import.meta.url.endsWith(".ts");
  if (isSource) return createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  return join(import.meta.dirname, "docs", name);
}

/** Cached, but revalidated each time, so that a page never runs with files of another version. */
const addHeaders: MiddlewareHandler = (context, next) => {
  context.header("X-Content-Type-Options", "nosniff");
  context.header("Referrer-Policy", "no-referrer");
  context.header("Cache-Control", "no-cache");
  context.header("Content-Security-Policy", contentSecurityPolicy);
  return next();
};

let openApiFile: string | undefined;

/** `/openapi.yaml`: the OpenAPI document, generated once per process from the table of endpoints. */
function openApiRoute(app: ServerApp): void {
  app.get("/openapi.yaml", (context) => {
    openApiFile ??= stringify(openApiDocument(endpoints), { aliasDuplicateObjects: false });
    return context.body(openApiFile, 200, {
      "Content-Type": "application/yaml",
      "X-Content-Type-Options": "nosniff",
      "Access-Control-Allow-Origin": "*",
    });
  });
}

/** `/docs`: the interactive API reference, without requests to other hosts. */
export function docsRoutes(app: ServerApp): void {
  openApiRoute(app);
  app.get("/docs", addHeaders, (context) => context.html(page));
  app.get("/docs/start.js", addHeaders, (context) =>
    context.body(start, 200, { "Content-Type": "text/javascript; charset=utf-8" }),
  );
  for (const [name, file] of Object.entries(files)) {
    const path = fileAt(file);
    // The build compresses the files once; only sources are compressed for each request.
    app.get(`/docs/${name}`, addHeaders, compress(), etag(), serveStatic({ path, precompressed: true }));
  }
}

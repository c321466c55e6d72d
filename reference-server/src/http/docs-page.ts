import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzip } from "node:zlib";
import { promisify } from "node:util";
import { type ServerApp } from "./router.ts";

const compress = promisify(gzip);

/** Nothing from elsewhere, and no script that is written into the page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI sets widths and positions as style attributes; style sheets stay ours alone.
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
    <noscript>This page needs JavaScript; <a href="openapi.yaml">openapi.yaml</a> says the same.</noscript>
    <script src="docs/swagger-ui.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

// Nothing is remembered and nobody else's validator is asked.
const start = `SwaggerUIBundle({
  url: new URL("openapi.yaml", location.href).href,
  dom_id: "#reference",
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});
`;

const files: Readonly<Record<string, { type: string; source: string }>> = {
  "swagger-ui.css": { type: "text/css; charset=utf-8", source: "swagger-ui.css" },
  "swagger-ui.js": { type: "text/javascript; charset=utf-8", source: "swagger-ui-bundle.js" },
  "icon.png": { type: "image/png", source: "favicon-32x32.png" },
};

interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  compressed: Uint8Array<ArrayBuffer>;
  tag: string;
}

const assets = new Map<string, Promise<Asset>>();

/** Beside the built program, which does not depend on the package that its sources take them from. */
function placeOf(source: string): string {
  const built = join(import.meta.dirname, "docs", source);
  return existsSync(built) ? built : createRequire(import.meta.url).resolve(`swagger-ui-dist/${source}`);
}

async function load(source: string): Promise<Asset> {
  const bytes = new Uint8Array(await readFile(placeOf(source)));
  // Weak: the same for what is sent as it is and for what is sent compressed.
  const tag = `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 16)}"`;
  return { bytes, compressed: new Uint8Array(await compress(bytes)), tag };
}

/** Read and compressed once per process, when the page is first opened. */
function assetOf(source: string): Promise<Asset> {
  let asset = assets.get(source);
  if (!asset) assets.set(source, (asset = load(source)));
  return asset;
}

/** Kept by browsers and asked for each time, so that a page never runs with the files of another version. */
const common = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
} as const;

function text(body: string, type: string): Response {
  const headers = { ...common, "Content-Type": type, "Content-Security-Policy": contentSecurityPolicy };
  return new Response(body, { headers });
}

/** Whether the client has it already; it may know several, and a proxy may have made a tag weak. */
function isKnown(request: Request, tag: string): boolean {
  const known = request.headers.get("if-none-match")?.split(",") ?? [];
  const strong = (name: string) => name.trim().replace(/^W\//, "");
  return known.some((name) => strong(name) === strong(tag));
}

async function assetReply(
  request: Request,
  { type, source }: { type: string; source: string },
): Promise<Response> {
  const { bytes, compressed, tag } = await assetOf(source);
  const headers = {
    ...common,
    "Content-Type": type,
    "ETag": tag,
    "Vary": "Accept-Encoding",
  };
  if (isKnown(request, tag)) return new Response(null, { status: 304, headers });
  const isCompressed = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (!isCompressed) return new Response(bytes, { headers });
  return new Response(compressed, { headers: { ...headers, "Content-Encoding": "gzip" } });
}

/** `/docs`: the description of the interface to read and to try out, without a request to anybody else. */
export function docsRoutes(app: ServerApp): void {
  app.get("/docs", () => text(page, "text/html; charset=utf-8"));
  app.get("/docs/start.js", () => text(start, "text/javascript; charset=utf-8"));
  for (const [name, file] of Object.entries(files)) {
    app.get(`/docs/${name}`, ({ req }) => assetReply(req.raw, file));
  }
}

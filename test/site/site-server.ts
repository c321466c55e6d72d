import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

const isCompressible = (type: string) => /text|javascript|json|svg/.test(type);

/** Serves a folder as a static host does: an index for each folder, brotli for texts, 404 for the rest. */
export function serveSite(folder: string): Promise<AsyncDisposable & { url: string }> {
  return serveLocally((request, response) => {
    const path = join(folder, decodeURIComponent(new URL(request.url!, "http://site").pathname));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const type = types[extname(file)] ?? "application/octet-stream";
    const body = readFileSync(file);
    const encoding = isCompressible(type) ? { "content-encoding": "br" } : undefined;
    response.writeHead(200, { "content-type": type, ...encoding });
    response.end(encoding ? brotliCompressSync(body) : body);
  });
}

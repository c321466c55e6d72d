import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minifiedCss } from "../minified-css.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const fonts: Record<string, string> = {
  "/fonts/inter.woff2": "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  "/fonts/arabic.woff2":
    "@fontsource-variable/noto-sans-arabic/files/noto-sans-arabic-arabic-wght-normal.woff2",
};
const types: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css",
  js: "text/javascript",
  woff2: "font/woff2",
};

/** As strict as a policy gets: no inline style, no nonce, and no string may become markup or script. */
export const strictPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; " +
  "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Serves the gallery under a strict content security policy; port 0 takes any free one. */
export async function serveGallery(port = 0): Promise<{ url: string; stop: () => void }> {
  const scripts = await bundle();
  // A free port is never served from again, so that a browser may keep what it has parsed; a named one may be.
  const caching = port === 0 ? "max-age=3600" : "no-store";
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://gallery");
    const path = pathname === "/" ? "/index.html" : pathname === "/state" ? "/state.html" : pathname;
    const body = scripts.get(path) ?? (await fileOf(path));
    if (!body) return response.writeHead(404).end();
    const type = types[path.split(".").at(-1) ?? ""] ?? "text/plain";
    const headers = { "content-type": type, "content-security-policy": strictPolicy };
    response.writeHead(200, { ...headers, "cache-control": caching }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, stop: () => void server.close().closeAllConnections() };
}

async function bundle(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: [at("gallery.ts"), at("state.ts")],
    outdir: "/",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    plugins: [minifiedCss],
    write: false,
  });
  return new Map(outputFiles.map(({ path, text }) => [path, text]));
}

/** The gallery's own files, by name: a request never chooses a path. */
async function fileOf(path: string): Promise<Buffer | undefined> {
  const font = fonts[path];
  if (font) return readFile(createRequire(import.meta.url).resolve(font));
  const isOwn = ["/index.html", "/state.html", "/state.css", "/gallery.css"].includes(path);
  return isOwn ? readFile(at(`.${path}`)) : undefined;
}

if (import.meta.main) {
  const { url } = await serveGallery(Number(process.env["PORT"] ?? 4321));
  console.log(`Gallery: ${url}`);
}

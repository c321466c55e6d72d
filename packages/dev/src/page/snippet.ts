/** What a snippet is filled with. */
export interface Given {
  publishableKey: string;
  secretKey: string;
  /** Without a trailing slash. */
  baseUrl: string;
}

export interface Snippet {
  /** The file as the reader's project would name it, or where in one the lines belong. */
  file: string;
  code: string;
}

/** The snippets of each stack, by its name. */
export type Snippets = Readonly<Record<string, (given: Given) => Snippet[]>>;

export const watcher = ({ baseUrl }: Given): Snippet => ({
  file: "lines for <head>",
  code: `<!-- For development only: fills the log of afterword-server dev. -->\n<script crossorigin src="${baseUrl}/watch.js"></script>\n`,
});

/** With the plug-in of a framework, and a proxy to the server's half, which has a port of its own. */
export const viteConfig = (imported: string, plugin: string): Snippet => ({
  file: "vite.config.ts",
  code: `${imported}
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [${plugin}],
  server: { proxy: { "/api": "http://127.0.0.1:3000" } }, // your server, while you develop
});
`,
});

/** A file of a template or an example, with the real keys. */
export const filled = (text: string, { publishableKey, baseUrl }: Given): string =>
  text
    .replaceAll("{{publishableKey}}", publishableKey)
    .replaceAll("{{baseUrl}}", baseUrl)
    .replace("import.meta.env.VITE_AFTERWORD_KEY", `"${publishableKey}"`)
    .replace("import.meta.env.VITE_AFTERWORD_BASE_URL", `"${baseUrl}"`);

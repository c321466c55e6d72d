import { cpSync } from "node:fs";
import { basename, join } from "node:path";

const here = import.meta.dirname;
const examples = join(here, "../../examples");
/** The page that Hono, Express and FastAPI serve too. */
const page = join(here, "templates/page/public");

/** Where the files of each template come from: those of an example are its files, so that both stay the same. */
const sources: Record<string, [from: string, to?: string][]> = {
  "vite-react": [[join(here, "templates/vite-react")]],
  "vue": [[join(here, "templates/vue")]],
  "svelte": [[join(here, "templates/svelte")]],
  "next-ai-sdk": [[join(here, "templates/next-ai-sdk")]],
  "express": [[join(here, "templates/express")], [page, "public"]],
  "hono": [[join(here, "templates/hono")], [page, "public"]],
  "page": [[join(here, "templates/page")]],
  "worker": [[join(here, "templates/worker")], [join(examples, "forwarder/main.ts"), "worker.ts"]],
  "fastapi": [[join(here, "templates/fastapi")], [page, "public"]],
};

/** What lies in a template's folder and is not for a new app. */
const left = new Set([
  "node_modules",
  "__pycache__",
  "dist",
  ".next",
  "next-env.d.ts",
  "tsconfig.tsbuildinfo",
  "README.md",
]);

/** Copies all templates into a folder, one folder each, and beside these the file that all apps get. */
export function collectTemplates(folder: string): void {
  cpSync(join(here, "templates/gitignore"), join(folder, "gitignore"));
  for (const [name, parts] of Object.entries(sources)) {
    for (const [from, to = ""] of parts)
      cpSync(from, join(folder, name, to), {
        recursive: true,
        filter: (path) => !left.has(basename(path)) || path === from,
      });
  }
}

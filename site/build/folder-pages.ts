import { basename, extname } from "node:path";
import { firstSentence } from "./markdown.ts";
import type { Page } from "./page.ts";
import { glob, read } from "./repository.ts";

/** How the code of each kind of file is coloured; other files are left out. */
const languages: Readonly<Record<string, string>> = {
  ".ts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".vue": "vue",
  ".svelte": "svelte",
  ".html": "html",
  ".py": "python",
  ".go": "go",
  ".sql": "sql",
  ".sh": "sh",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".css": "css",
  ".json": "json",
  ".txt": "text",
  ".service": "ini",
};
const left = /(^|\/)(README\.md|next-env\.d\.ts|\..*)$/;
const languageOf = (path: string) =>
  /(^|\/)(Dockerfile|crontab)$/.test(path) ? "sh" : languages[extname(path)];

function folderPage(folder: string, slug: string, title: string): Page {
  const paths = glob(`${folder}/**`).filter((path) => !left.test(path) && languageOf(path));
  const code = paths.map(
    (path) =>
      `### ${path.slice(folder.length + 1)}\n\n\`\`\`${languageOf(path)}\n${read(path).trimEnd()}\n\`\`\``,
  );
  const [guide] = glob(`${folder}/README.md`);
  const words = guide
    ? read(guide).replace(/^# .*\n+/, "")
    : "Each file as it is in the repository, where tests use it.\n";
  const description = guide ? firstSentence(words) : `All files of ${folder}, which tests use as they are.`;
  return {
    source: `${folder}/README.md`,
    slug,
    title,
    description,
    body: `${words.trim()}\n\n## Files\n\n${code.join("\n\n")}`,
    files: new Map(paths.map((path) => [path, path.slice(folder.length + 1)])),
  };
}

/** Folders that pages lead to, each as a page with all of its files. */
export function folderPages(): Page[] {
  const templates = glob("packages/create-afterword/templates/*/README.md");
  const examples = new Set(
    [...glob("examples/*/*"), ...templates].map((path) => path.replace(/\/[^/]+$/, "")),
  );
  return [
    ...[...examples].map((folder) => folderPage(folder, `examples/${basename(folder)}`, basename(folder))),
    folderPage("packages/node/deploy", "forwarder/files", "Files of the forwarder"),
    folderPage("test/conformance/clients", "reference/conformance-clients", "Drivers of the clients"),
    folderPage("test/conformance/second-server", "reference/second-server", "The second server"),
  ];
}

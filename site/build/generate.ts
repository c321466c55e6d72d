import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { facts } from "./facts.ts";
import { folderPages } from "./folder-pages.ts";
import { SiteLinks } from "./links.ts";
import { llmsFiles } from "./llms-files.ts";
import { rewrite } from "./markdown.ts";
import { writtenPages, type Page } from "./page.ts";
import { httpPages, typePages } from "./reference-pages.ts";
import { root } from "./repository.ts";
import { sinkPages } from "./sink-pages.ts";
import { sidebarOf } from "./sidebar.ts";

// Writes what Astro builds from: src/content/docs, and generated/public with each page as Markdown. Both are ignored by git.

const site = fileURLToPath(new URL("..", import.meta.url));
const content = join(site, "src/content/docs");
const published = join(site, "generated/public");

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const written = writtenPages();
const [http, types, folders, sinks] = [httpPages(), typePages(), folderPages(), sinkPages()];
const pages = [...written, ...http, ...types, ...folders, ...sinks];
const links = new SiteLinks([...written, ...folders]);

const bodyOf = (page: Page, kind: "html" | "md") =>
  rewrite(page.body, {
    target: (link) => links.target(page, link, kind),
    named: (path) => links.named(page, path, kind),
  });

const asContent = (page: Page) => {
  const matter = [`title: ${JSON.stringify(page.title)}`, `description: ${JSON.stringify(page.description)}`];
  return `---\n${matter.join("\n")}\n---\n\n${bodyOf(page, "html")}\n`;
};
const asMarkdown = (page: Page) => `# ${page.title}\n\n${page.description}\n\n${bodyOf(page, "md")}\n`;

for (const folder of [content, published]) rmSync(folder, { recursive: true, force: true });
for (const page of pages) {
  write(join(content, `${page.slug}.md`), asContent(page));
  write(join(published, `${page.slug}.md`), asMarkdown(page));
}
links.files.set("pictures/results.png", ".github/pictures/results.png");
for (const [path, source] of links.files) {
  mkdirSync(dirname(join(published, path)), { recursive: true });
  copyFileSync(join(root, source), join(published, path));
}
cpSync(join(site, "assets"), published, { recursive: true });

const list = pages.find(({ slug }) => slug === "all-pages")!;
const contract = written.filter(({ slug }) => slug.startsWith("reference/contract/"));
const examples = folders.filter(({ slug }) => slug.startsWith("examples/"));
const sidebar = sidebarOf(list, pages, { contract, http, types, examples, sinks });
write(join(site, "generated/sidebar.json"), JSON.stringify(sidebar, null, 2));
write(join(site, "generated/facts.json"), JSON.stringify({ ...facts(), sinks: sinks.length }));
for (const [name, text] of Object.entries(llmsFiles(sidebar, pages, asMarkdown)))
  write(join(published, name), text);
console.log(`${pages.length} pages, ${links.files.size} files`);

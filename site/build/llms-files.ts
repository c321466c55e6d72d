import type { Page } from "./page.ts";
import type { Group } from "./sidebar.ts";

const summary =
  "Afterword asks people how the run of an AI agent went, once and politely, and stores the rating next to the trace of that run.";

function linesOf(group: Group, pages: Map<string, Page>): string[] {
  return group.items.flatMap((item) => {
    if ("items" in item) return linesOf(item, pages);
    return `- [${item.label}](${item.slug}.md): ${pages.get(item.slug)!.description}`;
  });
}

/** https://llmstxt.org: the list of all pages as Markdown, and all of them in one file. */
export function llmsFiles(sidebar: Group[], pages: Page[], asMarkdown: (page: Page) => string) {
  const bySlug = new Map(pages.map((page) => [page.slug, page]));
  const listed = sidebar.map((group) => `## ${group.label}\n\n${linesOf(group, bySlug).join("\n")}`);
  const rest = pages.filter(({ slug }) => !listed.some((section) => section.includes(`](${slug}.md)`)));
  const items = rest.map(({ title, slug }) => ({ label: title, slug }));
  const sections = [...listed, `## Optional\n\n${linesOf({ label: "", items }, bySlug).join("\n")}`];
  return {
    "llms.txt": `# Afterword\n\n> ${summary}\n\nAll pages in one file: [llms-full.txt](llms-full.txt)\n\n${sections.join("\n\n")}\n`,
    "llms-full.txt": pages.map(asMarkdown).join("\n---\n\n"),
  };
}

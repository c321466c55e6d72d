import { join } from "node:path";
import type { Page } from "./page.ts";

interface Item {
  label: string;
  slug: string;
}

export interface Group {
  label: string;
  collapsed?: boolean;
  items: (Item | Group)[];
}

const group = (label: string, pages: Page[]): Group => ({
  label,
  collapsed: true,
  items: pages.map(({ title, label = title, slug }) => ({ label, slug })),
});

/** What the list of pages in docs/README.md names: its headings are the groups. */
export function listedGroups(list: Page, pages: Page[]): Group[] {
  const groups: Group[] = [];
  let current: Group | undefined;
  for (const line of list.body.split("\n")) {
    const [, level, heading] = /^(##|###) (.+)$/.exec(line) ?? [];
    if (heading) {
      current = { label: heading, items: [] };
      if (level === "###") groups.at(-1)!.items.push({ ...current, collapsed: true, items: current.items });
      else groups.push(current);
    }
    const [, label, link] = /^\| \[(.+?)\]\(([^)#]+)\) \|/.exec(line) ?? [];
    if (!label || !link) continue;
    const page = pages.find(({ source }) => source === join("docs", link));
    if (!page) throw new Error(`docs/README.md leads to ${link}, which is not a page`);
    current!.items.push({ label: label.replaceAll("`", ""), slug: page.slug });
  }
  return groups;
}

export interface GeneratedPages {
  contract: Page[];
  http: Page[];
  types: Page[];
  examples: Page[];
  sinks: Page[];
}

/** The list, and beside it what is generated. */
export function sidebarOf(list: Page, pages: Page[], generated: GeneratedPages): Group[] {
  const groups = listedGroups(list, pages);
  groups
    .find(({ label }) => label === "Forwarder")!
    .items.push(group("Sinks", generated.sinks), { label: "Files for deployment", slug: "forwarder/files" });
  const reference = groups.find(({ label }) => label === "Reference")!;
  reference.items.push(
    group("HTTP", generated.http),
    group("The contract", generated.contract),
    group("Types", generated.types),
    group("Examples", generated.examples),
  );
  return groups;
}

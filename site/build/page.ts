import { parse } from "yaml";
import { firstSentence, headingsOf } from "./markdown.ts";
import { glob, read } from "./repository.ts";

export interface Page {
  /** The file of the repository that it is made from. */
  source: string;
  /** Its address in the site, without slashes around it. */
  slug: string;
  title: string;
  /** In the menu, where it differs from the title. */
  label?: string;
  description: string;
  /** Markdown without front matter and first heading; links lead from `source`. */
  body: string;
  /** Of a folder: the heading of each of its files, by path. */
  files?: Map<string, string>;
}

/** Pages outside of docs, by their file. */
const elsewhere: Readonly<Record<string, string>> = {
  "packages/browser/README.md": "packages/browser",
  "packages/react/README.md": "packages/react",
  "packages/node/README.md": "packages/node",
  "reference-server/README.md": "packages/reference-server",
  "packages/server/README.md": "packages/server",
  "packages/create-afterword/README.md": "packages/create-afterword",
  "packages/protocol/from-any-language.md": "start/from-any-language",
  "deploy/README.md": "operate/files",
  ".github/DECISIONS.md": "evidence/decisions",
  ".github/SECURITY.md": "security",
  "CHANGELOG.md": "changelog",
};

/** What changed for the users of each package. */
const changelogs = (): [string, string][] =>
  glob("{packages/*,reference-server}/CHANGELOG.md").map((path) => [
    path,
    `changelog/${path.split("/").at(-2)!}`,
  ]);

const contract = "packages/protocol/README.md";
const frontMatter = /^---\n([\s\S]*?)\n---\n/;

function readPage(source: string, slug: string): Page {
  const text = read(source);
  const [matter = "", yaml = ""] = frontMatter.exec(text) ?? [];
  const known = (parse(yaml) ?? {}) as { title?: string; description?: string };
  const withHeading = text.slice(matter.length);
  const first = headingsOf(withHeading)[0]!;
  const body = withHeading.slice(first.end).trim();
  const title = known.title ?? first.text;
  return { source, slug, title, description: known.description ?? firstSentence(body), body };
}

const slugOfSection = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** The contract is one file, so that code can cite its sections, and one page for each of them. */
function pagesOfContract(): Page[] {
  const whole = readPage(contract, "reference/contract");
  const headings = headingsOf(whole.body).filter(({ depth }) => depth === 2);
  const pages = headings.map(({ text, end }, index): Page => {
    const body = whole.body.slice(end, headings[index + 1]?.start).trim();
    const slug = `${whole.slug}/${slugOfSection(text)}`;
    const description = `The contract between clients and server: ${text.replace(/^\d+\. /, "").toLowerCase()}.`;
    return { source: contract, slug, title: text, description, body };
  });
  return [{ ...whole, body: whole.body.slice(0, headings[0]!.start).trim() }, ...pages];
}

const pathToSlug = (path: string) => path.replace(/^docs\//, "").replace(/\.md$/, "");

/** All pages that are written by hand, in the repository's Markdown. */
export const writtenPages = (): Page[] => [
  ...glob("docs/**/*.md").map((path) =>
    readPage(path, path === "docs/README.md" ? "all-pages" : pathToSlug(path)),
  ),
  ...[...Object.entries(elsewhere), ...changelogs()].map(([path, slug]) => readPage(path, slug)),
  ...pagesOfContract(),
];

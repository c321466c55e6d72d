import { existsSync, statSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import GithubSlugger from "github-slugger";
import { headingsOf } from "./markdown.ts";
import type { Page } from "./page.ts";
import { root } from "./repository.ts";

const pictures = new Set([".png", ".svg"]);

interface Place {
  slug: string;
  anchor: string;
}

/** Where each heading of a file is in the site. A file may be several pages. */
function placesOf(pages: Page[]): Map<string, Place> {
  const places = new Map<string, Place>();
  const inFile = new GithubSlugger();
  for (const { slug, title, body } of pages) {
    const inPage = new GithubSlugger();
    places.set(inFile.slug(title), { slug, anchor: "" });
    for (const { text } of headingsOf(body))
      places.set(inFile.slug(text), { slug, anchor: `#${inPage.slug(text)}` });
  }
  return places;
}

export class SiteLinks {
  /** Files that pages lead to, by their path in the site. */
  readonly files = new Map<string, string>();
  readonly #pages: Map<string, Page[]>;
  readonly #places = new Map<string, Map<string, Place>>();

  constructor(pages: Page[]) {
    this.#pages = Map.groupBy(pages, ({ source }) => source);
    for (const [source, own] of this.#pages) this.#places.set(source, placesOf(own));
  }

  /** The address that a link from a page leads to; relative, so that the site may lie in any folder. */
  target(from: Page, link: string, kind: "html" | "md"): string {
    if (/^[a-z]+:/.test(link)) return link;
    const [path = "", anchor] = link.split("#");
    const source = path === "" ? from.source : join(dirname(from.source), path).replace(/\/$/, "");
    // A page at a/b/ is the file a/b.md, one level up.
    const base = kind === "html" ? from.slug : dirname(from.slug);
    const place = this.#place(source, anchor);
    if (place) {
      if (place.slug === from.slug && place.anchor) return place.anchor;
      const to = relative(base, place.slug) || ".";
      return kind === "html" ? `${to}/${place.anchor}` : `${to}.md${place.anchor}`;
    }
    return relative(base, this.#file(from, source));
  }

  named(from: Page, path: string, kind: "html" | "md"): string | undefined {
    const source = path.endsWith("/") ? "docs/README.md" : path;
    return this.#pages.has(source)
      ? this.target(from, relative(dirname(from.source), source), kind)
      : undefined;
  }

  #place(source: string, anchor: string | undefined): Place | undefined {
    // The first page of the repository is that of the site, whose Markdown is the list of pages.
    const path = source === "README.md" ? "docs/README.md" : source;
    const own = this.#pages.get(path) ?? this.#pages.get(`${path}/README.md`);
    if (!own) return this.#inFolder(path);
    if (anchor === undefined) return { slug: own[0]!.slug, anchor: "" };
    const place = this.#places.get(own[0]!.source)?.get(anchor);
    if (!place) throw new Error(`no heading #${anchor} in ${source}`);
    return place;
  }

  /** A file that is shown on the page of its folder. */
  #inFolder(path: string): Place | undefined {
    for (const [page] of this.#pages.values()) {
      const heading = page!.files?.get(path);
      if (heading) return { slug: page!.slug, anchor: `#${new GithubSlugger().slug(heading)}` };
    }
  }

  #file(from: Page, source: string): string {
    if (!existsSync(join(root, source)) || statSync(join(root, source)).isDirectory())
      throw new Error(`${from.source} leads to ${source}, which is neither a page nor a file`);
    const isPicture = pictures.has(extname(source));
    const path = isPicture ? `pictures/${source.split("/").slice(-1)}` : `files/${source}.txt`;
    this.files.set(path, source);
    return path;
  }
}

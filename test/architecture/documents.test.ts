import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const documents = globSync(
  ["*.md", "{.github,deploy,docs,examples,packages,reference-server,test}/**/*.md"],
  { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|api)(\/|$)/.test(path) },
).toSorted();
const pages = documents.filter((path) => path.startsWith("docs/"));

/** Code is neither a heading nor a link, though it may look like one. */
const withoutCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");

/** As a repository's site names them: two headings of the same words get a number. */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutCode(document).matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    let name = anchor;
    for (let count = 1; anchors.has(name); count++) name = `${anchor}-${count}`;
    anchors.add(name);
  }
  return anchors;
}

/** Links, addresses of pictures, and pages that the README of a published package can only name. */
function targetsOf(path: string): { link: string; file: string; anchor: string | undefined }[] {
  const text = withoutCode(read(path));
  const links = text.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g);
  const relatives = [...links]
    .map(([, link, source]) => (link ?? source)!)
    .filter((link) => !/^[a-z]+:/.test(link));
  const named = [...text.matchAll(/`(docs\/[\w./-]*)`/g)].map(([, page]) => `/${page!}`);
  return [...relatives, ...named].map((link) => {
    const [target = "", anchor] = link.split("#");
    const file = target.startsWith("/") ? target.slice(1) : join(dirname(path), target);
    return { link, file: target === "" ? path : file, anchor };
  });
}

describe.each(documents)("%s", (path) => {
  it("leads only to files and headings that exist", () => {
    const dead = targetsOf(path).filter(({ file, anchor }) => {
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && file.endsWith(".md") && !anchorsOf(read(file)).has(anchor);
    });
    expect(dead.map(({ link }) => link)).toEqual([]);
  });
});

describe("the pages of docs", () => {
  it.each(pages)("%s begins with its title and a description, for a site generator", (path) => {
    expect(read(path)).toMatch(/^---\ntitle: \S.*\ndescription: \S.*\.\n---\n\n# \S/);
  });

  it("are all on the list of pages", () => {
    const listed = new Set(targetsOf("docs/README.md").map(({ file }) => file));
    const pagesBelow = pages.filter((path) => relative("docs", path) !== "README.md");
    expect(pagesBelow.filter((path) => !listed.has(path))).toEqual([]);
  });
});

describe("what contributors are told about the code", () => {
  it("CONTRIBUTING.md names only files and folders that exist", () => {
    const text = withoutCode(read(".github/CONTRIBUTING.md"));
    const named = [...text.matchAll(/`((?:docs|examples|packages|reference-server|site|test)\/[\w./-]*)`/g)];
    expect(named.length).toBeGreaterThan(5);
    const isThere = (path: string) => globSync([path, `${path}.{ts,test.ts}`], { cwd: root }).length > 0;
    expect(named.map(([, path]) => path!).filter((path) => !isThere(path))).toEqual([]);
  });

  it("docs/server/inside.md lists every folder of the server, and no other", () => {
    const listed = [...read("docs/server/inside.md").matchAll(/^ {2}(\w+)\/ {2}/gm)].map(([, name]) => name!);
    const folders = globSync("reference-server/src/*/", { cwd: root }).map((path) => basename(path));
    expect(listed.toSorted()).toEqual(folders.toSorted());
  });
});

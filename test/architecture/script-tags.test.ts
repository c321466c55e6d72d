import { describe, expect, it } from "vitest";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folders =
  "{README.md,{docs,examples,packages,reference-server,site}/**/*.{md,html,ts,tsx,js,vue,svelte,py}}";

/** What people copy, and what the programs and examples serve. */
const files = globSync(folders, {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|dist|api)(\/|$)|\.test\.tsx?$/.test(path),
}).map((path) => ({ path, text: readFileSync(`${root}/${path}`, "utf8") }));

const found = (pattern: RegExp) =>
  files.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([match]) => ({ path, match })));

describe("a script tag that names another host", () => {
  // An address, or a variable that holds one.
  const tags = found(/<script\b[^>]*?\bsrc=[{"`]+(https?:|\{\{baseUrl|\$?\{[^}]*baseUrl)[^>]*>/gi);

  it("has crossorigin, without which cross-origin isolated pages block it", () => {
    expect(tags.length).toBeGreaterThan(8);
    expect(tags.filter(({ match }) => !/\bcrossorigin\b/i.test(match))).toEqual([]);
  });
});

describe("the stub", () => {
  const stubs = files.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<!\.)\bafterword\.q \?\?=/g)].map(({ index }) => ({
      path,
      before: text.slice(Math.max(0, index - 120), index),
    })),
  );

  it("takes only a function: an element with the id afterword is a property of the window, too", () => {
    expect(stubs.length).toBeGreaterThan(7);
    expect(stubs.filter(({ before }) => !before.includes('if (typeof afterword !== "function")'))).toEqual(
      [],
    );
  });
});

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

// A block of code in the README names its file so: <!-- from examples/script-tag/index.html -->. Blank lines part what
// stands apart in the file, and where the file has a placeholder, the README has what the reader will put there.

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const readme = read("README.md");
const named = [...readme.matchAll(/<!-- from (\S+) -->\n```\w+\n([\s\S]*?)```/g)];

/** Without indentation, which differs where only a part is shown. */
const lines = (text: string) => text.replace(/^ +/gm, "").replace(/\n+$/, "");

it("each block of the shortest paths names the file that it is copied from", () => {
  const paths = readme.split("## The shortest path")[1]!.split("\n## ")[0]!;
  expect(named).toHaveLength(paths.match(/^```\w/gm)!.length);
});

it.each(named.map(([, file, code]) => [file!, code!] as const))(
  "%s has the lines of the README",
  (file, code) => {
    const source = lines(read(file))
      .replace("{{key}}", "aw_pk_…")
      .replace("{{baseUrl}}", "https://feedback.example.com");
    for (const part of lines(code).split("\n\n")) expect(source).toContain(part);
  },
);

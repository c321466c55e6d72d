import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

// A block of code names the file that it is copied from: <!-- from examples/script-tag/index.html -->. Blank lines part what
// stands apart in the file, and where the file has a placeholder, the page has what the reader will put there. Every such file
// is run by a test. Other blocks are read and run by the tests below, or are exempt for the reason beside them.

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, "utf8");

const pages = globSync(["README.md", "{deploy,docs,reference-server,packages/*}/**/*.md"], {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|dist|api)(\/|$)/.test(path),
}).toSorted();

/** Languages of blocks that no file has. */
const exempt: Readonly<Record<string, string>> = {
  "sh": "commands of a terminal; start-pages.test.ts runs those of docs/start from the page, other tests those of docs/operate",
  "": "drawings and output",
  "text": "formulas",
};

/** The tests that read a page's other blocks and run them, or hold them against what runs. */
const tests: Readonly<Record<string, string>> = {
  "README.md": "test/end-to-end/shortest-path.test.ts",
  "docs/browser/in-the-page.md": "test/end-to-end/documented-page.test.ts",
  "docs/browser/muting.md": "test/end-to-end/documented-page.test.ts",
  "docs/browser/rating.md": "test/end-to-end/documented-page.test.ts",
  "docs/browser/script-tag.md": "test/end-to-end/documented-page.test.ts",
  "docs/browser/surroundings.md": "test/end-to-end/documented-page.test.ts",
  "docs/browser/theming.md": "test/end-to-end/documented-page.test.ts",
  "docs/browser/thumbs.md": "test/end-to-end/documented-page.test.ts",
  "docs/node/agent-frameworks.md": "test/frameworks/documents.test.ts",
  "docs/node/feedback-tool.md": "test/frameworks/documents.test.ts",
  "docs/operate/audit.md": "packages/server/src/audit/open-audit-trail.test.ts",
  "docs/operate/monitoring.md": "test/alerts/alerts.test.ts",
  "docs/react/ai-sdk.md": "test/frameworks/documents.test.ts",
  "docs/react/assistant-ui.md": "test/frameworks/documents.test.ts",
  "docs/react/react-native.md": "test/frameworks/documents.test.ts",
  "docs/reference/afterword-program.md": "packages/node/src/commands/forward-settings.test.ts",
  "docs/reference/config-file.md": "test/end-to-end/server-documents.test.ts",
  "docs/reference/surveys.md": "test/end-to-end/documented-node.test.ts",
  "docs/results/watching.md": "packages/server/src/commands/watch-command.test.ts",
  "docs/server/databases.md": "test/conformance/postgres-roles.test.ts",
  "packages/browser/README.md": "test/end-to-end/documented-page.test.ts",
  "packages/protocol/from-any-language.md": "test/end-to-end/any-language.test.ts",
};

/** Examples that a test runs as a whole, and the words with which it does. */
const runsOfExamples: Readonly<Record<string, [test: string, words: string]>> = {
  "ci": ["examples/ci/feedback.test.ts", 'from "./application.ts"'],
  "headless": ["test/end-to-end/examples.test.ts", 'open("headless")'],
  "vite-react": ["test/create/create.test.ts", '["vite-react", "answer", rateByThumb]'],
};

interface Block {
  page: string;
  language: string;
  code: string;
  /** What the comment above it names. */
  from: string | undefined;
}

const blocks = pages.flatMap((page): Block[] =>
  [...read(page).matchAll(/(?:<!-- from (.+?) -->\n)?^ *```(\w*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, from, language, code]) => ({ page, language: language!, code: code!, from }),
  ),
);
const copied = blocks.filter(({ from }) => from && !from.startsWith("the dev page: "));
const ofDevPage = blocks.filter(({ from }) => from?.startsWith("the dev page: "));
const others = blocks.filter(({ from, language }) => !from && exempt[language] === undefined);

/** Without indentation, which differs where only a part is shown. */
const lines = (text: string) => text.replace(/^ +/gm, "").replace(/\n+$/, "");

describe("a block of code in a page", () => {
  it.each(copied.map(({ page, from, code }) => [page, from!, code] as const))(
    "of %s has the lines of %s",
    (_, file, code) => {
      const source = lines(read(file))
        .replace("{{key}}", "aw_pk_…")
        .replace("{{baseUrl}}", "https://feedback.example.com");
      for (const part of lines(code).split("\n\n")) expect(source).toContain(part);
    },
  );

  it.each([...new Set(copied.map(({ from }) => from!))])("comes from %s, which a test runs", (file) => {
    const isRun = /\.test\.tsx?$/.test(file) || isRunWithExample(file) || isNamedByTest(file);
    expect(isRun).toBe(true);
  });

  it.each([...new Set(others.map(({ page }) => page))])("of %s is read by a test", (page) => {
    expect(tests[page], `no test is listed for ${page}`).toBeDefined();
    expect(read(tests[page]!)).toContain(page.split("/").at(-1)!.replace(".md", ""));
  });

  it("is known to a test for each page that is listed here", () => {
    const known = new Set(others.map(({ page }) => page));
    expect(Object.keys(tests).filter((page) => !known.has(page))).toEqual([]);
  });

  it("of the development page has the lines that this page shows", () => {
    // packages/dev/src/page/snippets.test.ts compares them.
    expect(ofDevPage.length).toBeGreaterThan(5);
    expect(read("packages/dev/src/page/snippets.test.ts")).toContain("from the dev page");
  });
});

const testFiles = globSync("{packages,reference-server,test,examples}/**/*.test.{ts,tsx}", {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path),
}).map(read);

function isRunWithExample(file: string): boolean {
  const [, folder = ""] = /^(?:examples|packages\/create-afterword\/templates)\/(.+)/.exec(file) ?? [];
  const run = Object.entries(runsOfExamples).find(([path]) => folder.startsWith(`${path}/`));
  return run !== undefined && read(run[1][0]).includes(run[1][1]);
}

/** Whether a test names the file in its folder. */
function isNamedByTest(file: string): boolean {
  const name = file.split("/").slice(-2).join("/");
  return testFiles.some((text) => text.includes(name));
}

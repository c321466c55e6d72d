import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { mintReasons, notShownReasons } from "../dev-reasons.ts";
import { filled, pageSnippets, serverSnippets, type Given, type Snippets } from "./snippets.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const given: Given = {
  publishableKey: "aw_pk_of-the-folder",
  secretKey: "aw_sk_of-the-folder",
  baseUrl: "http://localhost:4330",
};
const filesOf = (kind: string, snippets: Snippets) =>
  Object.entries(snippets).flatMap(([stack, texts]) =>
    Object.entries(texts).map(([file, text]) => ({
      path: `${kind}/${stack.replace(" ", "-")}/${file}`,
      code: filled(text, given),
    })),
  );
const files = [...filesOf("page", pageSnippets), ...filesOf("server", serverSnippets)];

/** Where the packages are that the snippets import. */
const packages: Readonly<Record<string, string>> = {
  "react": "packages/react",
  "react-dom": "packages/react",
  "@types/react": "packages/react",
  "@types/react-dom": "packages/react",
  "hono": "reference-server",
  "@hono/node-server": "reference-server",
  "express": "examples/mint-after-task",
  "@types/express": "examples/mint-after-task",
  "vue": "packages/browser",
  "fastify": "examples/mint-after-task",
  "@types/node": ".",
};

/** The script of a Vue or Svelte file; other files are scripts as they are. */
const scriptOf = (code: string) => /^<script[^>]*>\n([\s\S]*?)<\/script>/.exec(code)?.[1] ?? code;

const compilerOptions = {
  jsx: "react-jsx",
  types: ["node"],
  // The template of a Vue or Svelte file uses what its script declares.
  noUnusedLocals: false,
};

/** What the compiler of Svelte and the build of the widget know. */
const declarations = `declare function $state<T>(value: T): T;
declare module "*.css?inline" {
  const text: string;
  export default text;
}
`;

describe("a snippet", () => {
  it.each(["publishableKey", "baseUrl"] as const)("of each page has the real %s", (name) => {
    for (const texts of Object.values(pageSnippets))
      expect(Object.values(texts).some((text) => filled(text, given).includes(given[name]))).toBe(true);
  });

  it("of a page never has the secret key, and of each server has it in a file of variables alone", () => {
    const holders = files.filter(({ code }) => code.includes(given.secretKey)).map(({ path }) => path);
    expect(holders).toHaveLength(Object.keys(serverSnippets).length);
    for (const path of holders) expect(path).toMatch(/^server\/.+\/\.env(\.local)?$/);
  });

  it("that is no whole file is named by where its lines belong", () => {
    const fragments = files.filter(
      ({ code }) => code.startsWith("<") && !/^<(!doctype|script( setup)? lang)/.test(code),
    );
    const names = new Set(fragments.map(({ path }) => path.split("/").slice(2).join("/")));
    expect(names).toEqual(new Set(["lines for <head>", "lines for <body>"]));
  });

  it("imports its own files without an extension, which not every project allows", () => {
    for (const { path, code } of files) expect(code, path).not.toMatch(/from "\..*\.tsx?"/);
  });

  it("is compiled strictly with the types of the packages that it imports", () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-snippets-"));
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const [name, owner] of Object.entries(packages)) {
      mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
      symlinkSync(join(root, owner, "node_modules", name), join(folder, "node_modules", name));
    }
    for (const { path, code } of files) {
      // Needs only a plug-in of Vite.
      if (/\.(vue|svelte|tsx?)$/.test(path) && !path.endsWith("vite.config.ts"))
        write(path.replace(/\.(vue|svelte)$/, ".ts"), scriptOf(code));
    }
    write("declarations.d.ts", declarations);
    write("tsconfig.json", JSON.stringify({ extends: `${root}tsconfig.base.json`, compilerOptions }));
    const { status, stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
    rmSync(folder, { recursive: true });
    // A compiler that starts anew, beside the other tests.
  }, 60_000);

  it.skipIf(spawnSync("python3", ["--version"]).status !== 0)("in Python is valid", () => {
    const code = filled(serverSnippets["Python"]!["main.py"]!, given);
    const { stderr } = spawnSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], {
      input: code,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
  });
});

describe("the pages of docs/start", () => {
  const pages = globSync(`${root}/docs/start/*.md`).map((path) => readFileSync(path, "utf8"));
  const placeholders: Given = {
    publishableKey: "aw_pk_…",
    secretKey: "aw_sk_…",
    baseUrl: "http://localhost:4330",
  };
  const shown = pages.flatMap((text) => [
    ...text.matchAll(/<!-- from the dev page: (.+?), (\S+) -->\n```\w+\n([\s\S]*?)```/g),
  ]);

  it.each(shown.map(([, stack, file, code]) => [stack!, file!, code!] as const))(
    "show the snippet of %s, %s, as it is",
    (stack, file, code) => {
      const texts = pageSnippets[stack] ?? serverSnippets[stack]!;
      expect(code).toBe(filled(texts[file]!, placeholders));
    },
  );

  it.each(Object.entries({ notShown: notShownReasons, mint: mintReasons }))(
    "list all reasons of %s with what to do",
    (name, reasons) => {
      const rows = Object.entries(reasons).map(
        ([reason, words]) => `| \`${reason}\` | ${words.replace(new RegExp(`^${reason}: `), "")} |`,
      );
      const table = `<!-- reasons of ${name} -->\n| reason | what to do |\n|---|---|\n${rows.join("\n")}\n`;
      expect(pages.some((text) => text.includes(table))).toBe(true);
    },
  );
});

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build } from "esbuild";
import Metro from "metro";
import { rollup } from "rollup";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";
import { newPerson, publishableKeys, useStage } from "../end-to-end/browser-stage.ts";
import { sharedBrowser } from "../end-to-end/shared-browser.ts";
import { packPackages } from "../registry/pack-packages.ts";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const require = createRequire(import.meta.url);
const app = mkdtempSync(join(tmpdir(), "afterword-bundled-"));

/** A project with the packages as they are published, and with React. */
beforeAll(async () => {
  for (const tarball of await packPackages(join(app, "packed"))) {
    const [, name] = /\/afterword-([a-z-]+)-\d[^/]*$/.exec(tarball) ?? [];
    if (!name) continue; // create-afterword is a program alone.
    const folder = join(app, "node_modules/@afterword", name);
    mkdirSync(folder, { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components", "1"]);
  }
  const reactDom = createRequire(require.resolve("react-dom/package.json"));
  const browser = createRequire(join(here, "../../packages/browser/package.json"));
  for (const [name, from] of [
    ["preact", browser],
    ["react", require],
    ["react-dom", require],
    ["scheduler", reactDom],
  ] as const)
    cpSync(join(from.resolve(`${name}/package.json`), ".."), join(app, "node_modules", name), {
      recursive: true,
    });
  writeFileSync(join(app, "package.json"), `{ "type": "module" }`);
  cpSync(join(here, "bundlers"), app, { recursive: true });
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

const html = (script: string) =>
  `<!doctype html><html lang="en"><head><title>App</title></head>
  <body><main></main><aside></aside><button>Ask</button>${script}</body></html>`;

/** Each bundles a page into a folder. React is CommonJS, which Rollup alone does not read. */
const bundlers: Record<
  string,
  { entry: "page.js" | "react-page.js"; bundle(out: string): Promise<unknown> }
> = {
  "Parcel 2 with its defaults": {
    entry: "react-page.js",
    async bundle(out) {
      writeFileSync(join(app, "index.html"), html('<script type="module" src="react-page.js"></script>'));
      const parcel = join(here, "node_modules/parcel/lib/bin.js");
      const flags = ["build", "index.html", "--no-autoinstall", "--dist-dir", out];
      await run(process.execPath, [parcel, ...flags], { cwd: app });
    },
  },
  "Metro before 0.82": {
    entry: "react-page.js",
    async bundle(out) {
      const ofMetro = createRequire(require.resolve("metro/package.json"));
      const runtime = dirname(ofMetro.resolve("metro-runtime/package.json"));
      const config = await Metro.loadConfig(
        {},
        {
          projectRoot: app,
          watchFolders: [runtime],
          reporter: { update: () => undefined },
          transformer: {
            asyncRequireModulePath: join(runtime, "src/modules/asyncRequire.js"),
            // The transformer of React Native's preset does this.
            getTransformOptions: async () => ({
              transform: { experimentalImportSupport: true, inlineRequires: false },
            }),
          },
        },
      );
      const files = { entry: join(app, "react-page.js"), out: join(out, "react-page.js") };
      await Metro.runBuild(config, { ...files, platform: "web", dev: false });
      writeFileSync(join(out, "index.html"), html('<script src="react-page.js"></script>'));
    },
  },
  "Rollup as iife": {
    entry: "page.js",
    async bundle(out) {
      const bundle = await rollup({ input: join(app, "page.js"), plugins: [nodeResolve({ browser: true })] });
      await bundle.write({
        file: join(out, "page.js"),
        format: "iife",
        name: "page",
        inlineDynamicImports: true,
      });
      writeFileSync(join(out, "index.html"), html('<script src="page.js"></script>'));
    },
  },
  "esbuild as chunks": {
    entry: "react-page.js",
    async bundle(out) {
      const output = { bundle: true, splitting: true, format: "esm", outdir: out } as const;
      const define = { "process.env.NODE_ENV": '"production"' };
      await build({ absWorkingDir: app, entryPoints: ["react-page.js"], ...output, define });
      writeFileSync(join(out, "index.html"), html('<script type="module" src="react-page.js"></script>'));
    },
  },
};

/** Serves a folder, with what the page is given in front of its scripts. */
async function serve(folder: string, given: object): Promise<string> {
  const types: Record<string, string> = { html: "text/html", js: "text/javascript" };
  const { url, close } = await serveLocally(async (request, response) => {
    const name = request.url === "/" ? "index.html" : request.url!.slice(1);
    const file = await readFile(join(folder, name), "utf8").catch(() => undefined);
    if (file === undefined) return response.writeHead(404).end();
    const script = `<script>window.given = ${JSON.stringify(given)}</script>`;
    const type = `${types[name.split(".").at(-1)!] ?? "text/plain"}; charset=utf-8`;
    return response
      .writeHead(200, { "content-type": type })
      .end(file.replace(/^<!doctype html>/i, `$&${script}`));
  });
  onTestFinished(close);
  return `${url}/`;
}

const stage = useStage();

/** A run that is rated by thumbs. */
async function aRun(respondentId: string, sessionId: string) {
  const { token } = await stage.mint("run", respondentId, sessionId);
  return { sessionId, tokens: { run: token } };
}

describe("a page asks in German by the chunks that it loads, and has thumbs, when it is bundled by", () => {
  it.each(Object.entries(bundlers))("%s", { timeout: 180_000 }, async (name, { entry, bundle }) => {
    const out = mkdtempSync(join(app, "out-"));
    await bundle(out);
    const respondentId = newPerson();
    const given = {
      key: publishableKeys.quiet,
      baseUrl: stage.service.url,
      respondentId,
      run: await aRun(respondentId, `a run of ${name}`),
      reactRun: await aRun(respondentId, `another run of ${name}`),
    };
    const page = await (await sharedBrowser()).newPage();
    onTestFinished(() => page.close());
    page.setDefaultTimeout(10_000);
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(await serve(out, given));
    const places = entry === "page.js" ? ["aside"] : ["aside", "main"];
    for (const place of places)
      await page.locator(`${place} afterword-thumbs`).getByRole("button").first().click();
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByRole("radio").nth(3).click();
    await page.getByRole("button", { name: "Senden" }).click();
    await expect.poll(() => stage.stored(respondentId), { timeout: 15_000 }).toHaveLength(places.length + 1);
    expect(new Set(await page.evaluate<string[]>("used"))).toEqual(new Set(["function"]));
    expect(faults).toEqual([]);
  });
});

/** What code imports: files that a page loads by their names, and types alone, are found by their paths. */
const imported = ["browser", "react", "node", "conformance", "reference-server", "server"]
  .map((name) => `@afterword/${name}`)
  .flatMap((name) => {
    const { exports } = JSON.parse(
      readFileSync(createRequire(join(here, "../package.json")).resolve(`${name}/package.json`), "utf8"),
    ) as { exports: object };
    return Object.entries(exports)
      .filter(([path, target]) => typeof target === "object" && !path.includes("*"))
      .map(([path]) => join(name, path));
  });

describe("a resolver that reads no exports finds", () => {
  const resolveAsBefore = createRequire(require.resolve("@rollup/plugin-node-resolve"))("resolve") as {
    sync(name: string, options: { basedir: string }): string;
  };

  it.each(imported)("%s, and its types", (name) => {
    expect(resolveAsBefore.sync(name, { basedir: app })).toMatch(/\/dist\/.*\.c?js$/);
    const options = { moduleResolution: ts.ModuleResolutionKind.Node10 };
    const { resolvedModule } = ts.resolveModuleName(name, join(app, "page.ts"), options, ts.sys);
    expect(resolvedModule?.resolvedFileName).toMatch(/\/dist\/.*\.d\.ts$/);
  });
});

/** Those that say in their README that they need the types of Node. */
const needsNode = new Set([
  "@afterword/node/terminal",
  "@afterword/conformance",
  "@afterword/reference-server",
  "@afterword/server",
]);

it("all other types are complete without those of Node", () => {
  const file = join(app, "types.ts");
  const names = [...imported, "@afterword/browser/types/react"].filter((name) => !needsNode.has(name));
  writeFileSync(file, names.map((name, at) => `export * as a${at} from "${name}";\n`).join(""));
  const ofReact = createRequire(join(here, "../../packages/react/package.json"));
  const react = dirname(ofReact.resolve("@types/react/package.json"));
  cpSync(react, join(app, "node_modules/@types/react"), { recursive: true });
  const csstype = createRequire(join(react, "package.json")).resolve("csstype/package.json");
  cpSync(dirname(csstype), join(app, "node_modules/csstype"), { recursive: true });
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    types: [],
    skipDefaultLibCheck: true,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    ignoreDeprecations: "6.0",
  });
  const faults = ts.getPreEmitDiagnostics(program);
  expect(faults.map(({ messageText, file }) => [file?.fileName, messageText])).toEqual([]);
}, 40_000);

import { cpSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, defineConfig, type Options } from "tsup";
import { copyLicenses } from "../../reference-server/third-party.ts";

// The code and types of our own packages are bundled: of the reference server, this one needs more than it publishes.
const own = /^@afterword\//;

/** Takes a file as text, as Vite does: snippets are files that tests run. */
const rawFiles: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "raw-files",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
      // Relative, since it stands in what is built, and with `?raw`, so that no plug-in compiles a component.
      path: relative(".", join(resolveDir, path)),
      namespace: "raw",
    }));
    onLoad({ filter: /./, namespace: "raw" }, ({ path }) => ({
      contents: readFileSync(path.replace("?raw", ""), "utf8"),
      loader: "text",
    }));
  },
};

/** What the page of `dev` loads: each script is one file, without chunks that the program shares. */
const buildDevPage = async () => {
  await build({
    config: false,
    entry: ["page", "preview", "watch"].map((name) => `../dev/src/page/${name}.ts`),
    outDir: "dist/dev",
    format: ["esm"],
    target: "es2022",
    platform: "browser",
    splitting: false,
    silent: true,
    esbuildPlugins: [rawFiles],
  });
  cpSync("../dev/src/page/index.html", "dist/dev/index.html");
};

export default defineConfig({
  entry: {
    "index": "src/index.ts",
    "cli": "src/cli.ts",
    "erasing-worker": "src/sqlite/erasing-worker.ts",
  },
  format: ["esm"],
  target: "node22",
  platform: "node",
  splitting: true,
  clean: true,
  onSuccess: async () => {
    cpSync("../../reference-server/src/store/sqlite/schema.sql", "dist/schema.sql");
    await buildDevPage();
    copyLicenses();
  },
  metafile: true,
  // Kysely and zod are many small files, and reading them took half of the time that the program needs to start.
  noExternal: [own, "kysely", "zod", "jstat"],
  // With the files that its entry point names, and without the paths, which tsup takes for packages to leave alone.
  dts: {
    entry: { index: "src/index.ts" },
    resolve: [own, /^\.{1,2}\//],
    compilerOptions: { paths: {} },
  },
});

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build, defineConfig, type Options } from "tsup";

// These are private: their code and types are bundled into what is published.
const own = /^@afterword\/(protocol|results|dev|server|node|reference-server\/(internal|node-version))/;

// What `/docs` serves of Swagger UI, and whose work it is. As a dependency, its package would report each installation.
const docsFiles = [
  "swagger-ui-bundle.js",
  "swagger-ui-bundle.js.LICENSE.txt",
  "swagger-ui.css",
  "favicon-32x32.png",
];
const copyDocs = () => {
  for (const name of [...docsFiles, "LICENSE", "NOTICE"])
    cpSync(`node_modules/swagger-ui-dist/${name}`, `dist/docs/${name}`);
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"])
    writeFileSync(`dist/docs/${name}.gz`, gzipSync(readFileSync(`dist/docs/${name}`), { level: 9 }));
};

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
    entry: ["page", "preview", "watch"].map((name) => `../packages/dev/src/page/${name}.ts`),
    outDir: "dist/dev",
    format: ["esm"],
    target: "es2022",
    platform: "browser",
    splitting: false,
    silent: true,
    esbuildPlugins: [rawFiles],
  });
  cpSync("../packages/dev/src/page/index.html", "dist/dev/index.html");
};

/** The licenses of all packages whose code is in the bundle, and of what `/docs` serves, ask to be handed on with it. */
const copyLicenses = () => {
  const { outputs } = JSON.parse(readFileSync("dist/metafile-esm.json", "utf8")) as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
  };
  rmSync("dist/metafile-esm.json");
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => inputs[file]!.bytesInOutput > 0),
  );
  const folderOf = (file: string) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
  const folders = new Set(files.flatMap((file) => folderOf(file) ?? []));
  const texts = [...folders, "node_modules/swagger-ui-dist"].sort().flatMap((folder) => {
    const license = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    return license ? [`${name}@${version}\n\n${readFileSync(`${folder}/${license}`, "utf8")}`] : [];
  });
  writeFileSync("dist/LICENSES.txt", texts.join("\n\n"));
};

export default defineConfig({
  entry: {
    "index": "src/index.ts",
    "cli": "../packages/server/src/cli.ts",
    "erasing-worker": "src/store/sqlite/erasing-worker.ts",
  },
  format: ["esm"],
  target: "node22",
  platform: "node",
  splitting: true,
  clean: true,
  onSuccess: async () => {
    copyDocs();
    await buildDevPage();
    copyLicenses();
  },
  // The library of the plots would be 60 packages and 6 MB of an image, that of encrypted backups 6 packages and some more.
  metafile: true,
  // Kysely and zod are many small files, and reading them took half of the time that the program needs to start.
  noExternal: [own, "kysely", "zod", "@observablehq/plot", "linkedom", "jstat", "age-encryption"],
  // With the files that its entry point names, and without the paths, which tsup takes for packages to leave alone.
  dts: {
    entry: { index: "src/index.ts" },
    resolve: [own, /^\.{1,2}\//],
    compilerOptions: { paths: {} },
  },
});

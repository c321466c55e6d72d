import { cpSync } from "node:fs";
import { defineConfig } from "tsup";
import { copyLicenses } from "./third-party.ts";

// Private: its code and types are bundled into what is published.
const own = /^@afterword\/(protocol|command-line)/;

export default defineConfig({
  entry: {
    index: "src/index.ts",
    cli: "src/cli.ts",
  },
  format: ["esm"],
  target: "node22",
  platform: "node",
  splitting: true,
  clean: true,
  onSuccess: async () => {
    cpSync("src/store/sqlite/schema.sql", "dist/schema.sql");
    copyLicenses();
  },
  metafile: true,
  // Zod is many small files, and reading them took half of the time that the program needs to start.
  noExternal: [own, "zod"],
  // With the files that its entry point names, and without the paths, which tsup takes for packages to leave alone.
  dts: {
    entry: { index: "src/index.ts" },
    resolve: [own, /^\.{1,2}\//],
    compilerOptions: { paths: {} },
  },
});

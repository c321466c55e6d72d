import { defineConfig } from "tsup";

// The protocol is private: its code and its types are bundled into what is published.
const protocol = /^@afterword\/protocol/;

export default defineConfig({
  entry: { index: "src/index.ts", cli: "src/cli.ts" },
  format: ["esm"],
  target: "node22",
  platform: "node",
  splitting: true,
  clean: true,
  // Kysely and zod are many small files, and reading them took half of the time that the program needs to start.
  noExternal: [protocol, "kysely", "zod"],
  // With the files that its door names, and without the paths, which tsup takes for packages to leave alone.
  dts: {
    entry: { index: "src/index.ts" },
    resolve: [protocol, /^\.{1,2}\//],
    compilerOptions: { paths: {} },
  },
});

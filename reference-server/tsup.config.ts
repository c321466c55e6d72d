import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", cli: "src/cli.ts" },
  format: ["esm"],
  target: "node22",
  platform: "node",
  splitting: true,
  clean: true,
  // The protocol is private: published code and types carry it inside. Kysely and zod are many small files, and reading
  // them took half of the time that the program needs to start.
  noExternal: [/^@afterword\/protocol/, "kysely", "zod"],
  dts: { entry: { index: "src/index.ts" }, resolve: [/^@afterword\/protocol/] },
});

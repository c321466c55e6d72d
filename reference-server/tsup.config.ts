import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", cli: "src/cli.ts" },
  format: ["esm"],
  target: "node22",
  platform: "node",
  splitting: true,
  clean: true,
  // The protocol is private: published code and types carry it inside.
  noExternal: [/^@afterword\/protocol/],
  dts: { entry: { index: "src/index.ts" }, resolve: [/^@afterword\/protocol/] },
});

import { defineConfig, type Options } from "tsup";

// The protocol is private: its code and its types are bundled into what is published.
const library: Options = {
  noExternal: [/^@afterword\/protocol/],
  target: "es2023",
  sourcemap: true,
};

export default defineConfig([
  {
    ...library,
    entry: ["src/index.ts", "src/forwarder.ts", "src/terminal.ts"],
    format: ["esm"],
    dts: { resolve: [/^@afterword\/protocol/] },
  },
  {
    ...library,
    entry: ["src/index.ts", "src/forwarder.ts", "src/terminal.ts"],
    format: ["cjs"],
    dts: { resolve: [/^@afterword\/protocol/] },
    // ky is ESM only, which the oldest supported Node cannot require.
    noExternal: [/^@afterword\/protocol/, "ky"],
  },
  { ...library, entry: ["src/cli.ts"], format: ["esm"], platform: "node" },
]);

import { defineConfig } from "tsup";
import { collectTemplates } from "./collect-templates.ts";

export default defineConfig({
  entry: { cli: "src/cli.ts" },
  format: ["esm"],
  target: "node22",
  platform: "node",
  // Private: what is imported of it is bundled.
  noExternal: ["@afterword/command-line"],
  clean: true,
  onSuccess: async () => collectTemplates("dist/templates"),
});

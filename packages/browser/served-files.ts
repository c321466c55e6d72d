import { resolve } from "node:path";
import type { Plugin } from "esbuild";

/** In bundles that are served as they are, other files come from beside the bundle and not by a bundler's imports. */
export const servedFiles: Plugin = {
  name: "served-files",
  setup(build) {
    build.onResolve({ filter: /\/(languages|follow-up-file)\.ts$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.replace(/[^/]+$/, "served-$&")),
    }));
  },
};

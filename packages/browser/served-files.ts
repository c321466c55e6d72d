import { resolve } from "node:path";
import type { Plugin } from "esbuild";

/** In bundles served as built, loads other files from beside the bundle instead of through a bundler's imports. */
export const servedFiles: Plugin = {
  name: "served-files",
  setup(build) {
    build.onResolve({ filter: /\/languages\.ts$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.replace(/[^/]+$/, "served-$&")),
    }));
  },
};

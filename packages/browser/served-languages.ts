import { resolve } from "node:path";
import type { Plugin } from "esbuild";

/** In bundles that are served as they are, languages come from beside the bundle and not by a bundler's imports. */
export const servedLanguages: Plugin = {
  name: "served-languages",
  setup(build) {
    build.onResolve({ filter: /\/languages\.ts$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path, "../served-languages.ts"),
    }));
  },
};

import type { Plugin } from "esbuild";

/**
 * In bundles served as built, takes Preact from the file beside the bundle, which all of them share, under the same
 * `?version`: a browser never runs an old copy from its cache, and asks again after a failed load.
 */
export const sharedPreact: Plugin = {
  name: "shared-preact",
  setup(build) {
    build.onResolve({ filter: /^preact(\/jsx-runtime)?$/ }, () => ({
      path: "preact",
      namespace: "shared-preact",
    }));
    build.onLoad({ filter: /./, namespace: "shared-preact" }, () => ({
      contents: `
        const { href, search } = new URL(import.meta.url);
        export const { Component, createRef, Fragment, jsx, jsxs, render } = await import(new URL("afterword-preact.js" + search, href).href);
      `,
    }));
  },
};

import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { transform, type Plugin } from "esbuild";

/** Makes `import css from "./x.css?inline"` yield the style sheet as minified text, as the test runner does. */
export const minifiedCss: Plugin = {
  name: "minified-css",
  setup(build) {
    build.onResolve({ filter: /\.css\?inline$/ }, ({ path, importer }) => ({
      // Relative, since it stands in source maps. Keeps the suffix; otherwise tsup would treat the file as its own style sheet.
      path: relative(".", resolve(dirname(importer), path)),
      namespace: "minified-css",
    }));
    build.onLoad({ filter: /./, namespace: "minified-css" }, async ({ path }) => {
      const file = path.replace("?inline", "");
      const { code } = await transform(await readFile(file, "utf8"), {
        loader: "css",
        minify: true,
        // Keeps nested rules and newer functions: rewriting them for old browsers costs bytes.
        target: "es2024",
      });
      // The minifier skips values of custom properties, where a space after a colon or a comma means nothing here.
      return { contents: code.trim().replaceAll(/(?<=[:,]) /g, ""), loader: "text" };
    });
  },
};

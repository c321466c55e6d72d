import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { transform, type Plugin } from "esbuild";

/** Lets `import css from "./x.css?inline"` give the style sheet as minified text, as the test runner does. */
export const minifiedCss: Plugin = {
  name: "minified-css",
  setup(build) {
    build.onResolve({ filter: /\.css\?inline$/ }, ({ path, importer }) => ({
      // The ending stays, or tsup would take the file for a style sheet of its own.
      path: resolve(dirname(importer), path),
      namespace: "minified-css",
    }));
    build.onLoad({ filter: /./, namespace: "minified-css" }, async ({ path }) => {
      const file = path.replace("?inline", "");
      const { code } = await transform(await readFile(file, "utf8"), {
        loader: "css",
        minify: true,
        // Nested rules and newer functions stay as they are: rewriting them for old browsers costs bytes.
        target: "es2024",
      });
      // The minifier leaves the values of custom properties alone; no space after a colon or a comma means anything here.
      return {
        contents: shortNames(code.trim().replaceAll(/(?<=[:,]) /g, ""), await namesOf(file)),
        loader: "text",
      };
    });
  },
};

/** The properties of a file, after those of the file that it shares them with. */
async function namesOf(file: string): Promise<string[]> {
  const files = [file.replace("follow-up.css", "survey.css"), file];
  const texts = await Promise.all(files.map((one) => readFile(one, "utf8")));
  return [...new Set(texts.join("").match(ownProperty))];
}

/** Custom properties that no page sets get names of one letter: 50 bytes of brotli less. */
function shortNames(css: string, names: string[]): string {
  return css.replaceAll(ownProperty, (name) => `--${String.fromCharCode(65 + names.indexOf(name))}`);
}

const ownProperty = /--(?!afterword-)[a-z-]+/g;

import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL(".", import.meta.url);

/** In whose README a recipe stands. */
const packageOf = (file: string) => {
  if (file === "react-native/survey.tsx") return "browser";
  return file.endsWith("x") ? "react" : "node";
};

it.each(globSync("{recipes/*.{ts,tsx},react-native/{survey,rate-run}.tsx}", { cwd: folder }))(
  "the README has the recipe of %s as it is run",
  (file) => {
    const recipe = readFileSync(new URL(file, folder), "utf8").split("// recipe\n")[1]!.split("// end")[0]!;
    const readme = readFileSync(new URL(`../../packages/${packageOf(file)}/README.md`, folder), "utf8");
    expect(readme).toContain(`\`\`\`${file.endsWith("x") ? "tsx" : "ts"}\n${recipe}\`\`\``);
  },
);

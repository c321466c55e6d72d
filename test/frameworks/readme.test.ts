import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL("recipes/", import.meta.url);

it.each(globSync("*.{ts,tsx}", { cwd: folder }))("the README has the recipe of %s as it is run", (file) => {
  const recipe = readFileSync(new URL(file, folder), "utf8").split("// recipe\n")[1]!.split("// end")[0]!;
  const [kind, ofPackage] = file.endsWith("x") ? ["tsx", "react"] : ["ts", "node"];
  const readme = readFileSync(new URL(`../../packages/${ofPackage}/README.md`, import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`${kind}\n${recipe}\`\`\``);
});

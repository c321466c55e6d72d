import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL(".", import.meta.url);

/** Which document shows a recipe. */
const documentOf = (file: string) => {
  if (file.startsWith("react-native/")) return "docs/react/react-native.md";
  if (file === "recipes/feedback-tool.ts") return "docs/node/feedback-tool.md";
  if (file === "recipes/react-ai-sdk.tsx") return "docs/react/ai-sdk.md";
  return file.endsWith("x") ? "docs/react/assistant-ui.md" : "docs/node/agent-frameworks.md";
};

it.each(globSync("{recipes/*.{ts,tsx},react-native/{survey,rate-run}.tsx}", { cwd: folder }))(
  "a document has the recipe of %s as it is run",
  (file) => {
    const recipe = readFileSync(new URL(file, folder), "utf8").split("// recipe\n")[1]!.split("// end")[0]!;
    const document = readFileSync(new URL(`../../${documentOf(file)}`, folder), "utf8");
    expect(document).toContain(`\`\`\`${file.endsWith("x") ? "tsx" : "ts"}\n${recipe}\`\`\``);
  },
);

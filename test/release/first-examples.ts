import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a block of a README leaves open. */
export interface Known {
  publishableKey: string;
  secretKey: string;
  baseUrl: string;
  sinkUrl: string;
}

const installs = /^(npm (i|install)|npx -y pnpm)\b/;

/** The first block of a README that does more than install, in one of the languages. */
export function firstExample(folder: string, languages: readonly string[]): string {
  const readme = readFileSync(join(root, folder, "README.md"), "utf8");
  const blocks = readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  for (const [, language, code] of blocks) {
    const isInstallation = code!
      .trim()
      .split("\n")
      .every((line) => installs.test(line));
    if (languages.includes(language!) && !isInstallation) return code!;
  }
  throw new Error(
    `${folder}/README.md has no block of ${languages.join(" or ")}: the release check runs the first one.`,
  );
}

/** With what a reader puts in. */
export function filledIn(code: string, known: Known): string {
  return code
    .replaceAll("aw_pk_…", known.publishableKey)
    .replaceAll(/aw_sk_…/g, known.secretKey)
    .replaceAll("https://feedback.example.com", known.baseUrl)
    .replaceAll("https://your.cdn/", "/")
    .replaceAll("http://localhost:6006", known.sinkUrl);
}

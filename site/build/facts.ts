import { glob, read } from "./repository.ts";

/** The rows of the comparison in docs/browser/sizes.md: what a page loads where no survey shows, in bytes. */
function sizes(): { name: string; bytes: number }[] {
  const [, table = ""] = /<!-- sizes -->\n([\s\S]*?)<!-- \/sizes -->/.exec(read("docs/browser/sizes.md"))!;
  const rows = table
    .replaceAll(/<!--.*?-->|\*\*/g, "")
    .split("\n")
    .slice(2);
  return rows.flatMap((row) => {
    const [, name = "", bytes = ""] = row.split("|").map((cell) => cell.trim());
    return bytes ? [{ name, bytes: Number(bytes.replaceAll(",", "")) }] : [];
  });
}

/** Figures of the first page, each from where a test holds it. */
export const facts = () => ({
  sizes: sizes(),
  // English is code.
  languages: glob("packages/browser/src/texts/translated/*.json").length + 1,
});

import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const siteFolder = fileURLToPath(new URL("../../site/dist/", import.meta.url));

export const read = (path: string): string => readFileSync(join(siteFolder, path), "utf8");

/** Every file of the built site. */
export const files: ReadonlySet<string> = new Set(
  globSync("**/*.*", { cwd: siteFolder }).map((path) => path.replaceAll("\\", "/")),
);

export const pages: readonly string[] = [...files].filter((path) => path.endsWith(".html")).toSorted();

const withoutCode = (html: string) => html.replaceAll(/<pre[\s\S]*?<\/pre>/g, "");

export const idsOf = (html: string): Set<string> =>
  new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!));

/** Addresses that a page leads to or loads, without those in its code. */
export const addressesOf = (html: string): string[] =>
  [...withoutCode(html).matchAll(/\s(?:href|src|srcset)="([^"]*)"/g)].map(([, address]) =>
    address!.replaceAll("&#38;", "&").replaceAll("&amp;", "&"),
  );

/** The file that a static host answers an address of a page with. */
export function fileOf(from: string, address: string): string {
  const path = decodeURIComponent(address.split(/[#?]/)[0]!);
  if (path === "") return from;
  const target = path.startsWith("/") ? path.slice(1) : join(dirname(from), path).replace(/^\.\//, "");
  return target === "" || target.endsWith("/") || target === "." ? join(target, "index.html") : target;
}

import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { substitutes } from "./own-the-clock.ts";
import { type PlantedFault } from "./planted-faults.ts";

const root = new URL("../..", import.meta.url).href;
const folders: Record<string, string> = {
  "@afterword/protocol": "packages/protocol/src/",
  "@afterword/command-line": "packages/command-line/src/",
  "@afterword/browser": "packages/browser/src/",
  "@afterword/node": "packages/node/src/",
  "@afterword/results": "packages/results/src/",
  "@afterword/dev": "packages/dev/src/",
  "@afterword/server": "packages/server/src/",
  "@afterword/reference-server": "reference-server/src/",
};
const connections = new URL("simulated-sqlite.ts", import.meta.url).href;

/** The source of a package's entry point. */
function sourceOf(specifier: string): string | undefined {
  const [name] = Object.keys(folders).filter((one) => `${specifier}/`.startsWith(`${one}/`));
  if (name === undefined) return undefined;
  return `${root}${folders[name]}${specifier.slice(name.length + 1) || "index"}.ts`;
}

/** A module of Node with some of its exports replaced. */
function substituteOf(name: keyof typeof substitutes): string {
  const own = Object.keys(substitutes[name]);
  const lines = own.map((one) => `export const ${one} = globalThis.substitutes["${name}"].${one};`);
  return `export * from "${name}?"; ${lines.join(" ")}`;
}

const isProduct = (parent = "") =>
  parent.startsWith(root) && parent.includes("/src/") && !parent.includes("/node_modules/");

export class FaultNotPlanted extends Error {}

/** The source with a fault in it. @throws FaultNotPlanted when the text is not there, or there twice */
export function planted(source: string, { name, file, text, replacement }: PlantedFault): string {
  if (source.split(text).length !== 2)
    throw new FaultNotPlanted(
      `Fault ${name}: ${file} has its text ${source.split(text).length - 1} times, not once.`,
    );
  return source.replace(text, () => replacement);
}

/**
 * Loads the packages from their sources, with the clocks, random numbers and databases of the simulation, and perhaps one
 * fault. Call it before anything of the product is imported: production code has no seam for it.
 */
export function hookLoading(fault?: PlantedFault): void {
  registerHooks({
    resolve(specifier, context, next) {
      const source = sourceOf(specifier);
      if (source) return { url: source, shortCircuit: true };
      if (specifier.endsWith("?")) return next(specifier.slice(0, -1), context);
      if (!isProduct(context.parentURL)) return next(specifier, context);
      if (specifier in substitutes) return { url: `simulated:${specifier}`, shortCircuit: true };
      if (specifier === "better-sqlite3") return { url: connections, shortCircuit: true };
      return next(specifier, context);
    },
    load(url, context, next) {
      if (url.startsWith("simulated:")) {
        const source = substituteOf(url.slice("simulated:".length) as keyof typeof substitutes);
        return { format: "module", source, shortCircuit: true };
      }
      if (!fault || url !== root + fault.file) return next(url, context);
      const path = fileURLToPath(url);
      if (!existsSync(path)) throw new FaultNotPlanted(`Fault ${fault.name}: there is no ${fault.file}.`);
      const source = planted(readFileSync(path, "utf8"), fault);
      return { format: "module-typescript", source, shortCircuit: true };
    },
  });
}

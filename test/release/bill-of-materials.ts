import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { type Packed } from "./check-contents.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Component {
  "bom-ref": string;
  "name": string;
  "group"?: string;
  "version": string;
  "licenses"?: { license?: { id?: string; name?: string }; expression?: string }[];
}

export interface BillOfMaterials {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/** Licenses that ask for no more than to be handed on. */
const permissive = /^(MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense)$/;

/** Read in the package, which names none where tools look. */
const licensesRead: Record<string, string> = { jstat: "MIT" };

const fullName = ({ group, name }: Component) => (group ? `${group}/${name}` : name);
const nameOf = (component: Component) => `${fullName(component)}@${component.version}`;

/** What the lockfile says about a package of the workspace, of all that it was built with. */
async function lockedBill(name: string): Promise<BillOfMaterials> {
  const words = ["--filter", name, "sbom", "--sbom-format", "cyclonedx", "--sbom-spec-version", "1.6"];
  const { stdout } = await promisify(execFile)("pnpm", words, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as BillOfMaterials;
}

/** Packages whose code is in the bundle, as the build has written them down. */
function bundledIn({ folder }: Packed): string[] {
  const licenses = join(folder, "dist/LICENSES.txt");
  if (!existsSync(licenses)) return [];
  return [...readFileSync(licenses, "utf8").matchAll(/^((?:@[^\s@]+\/)?[^\s@]+@\d\S*)\n\n/gm)].map(
    ([, one]) => one!,
  );
}

/**
 * The CycloneDX bill of materials of a package: what its installation brings, and what its bundle contains. Optional peers are
 * the user's own.
 */
export async function billOfMaterials(packed: Packed): Promise<BillOfMaterials> {
  const manifest = JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8"));
  const bill = await lockedBill(manifest.name);
  const self = bill.metadata.component["bom-ref"];
  const components = new Map(bill.components.map((component) => [component["bom-ref"], component]));
  const needs = new Map(bill.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const dependencies = Object.keys(manifest.dependencies ?? {});
  const direct = needs.get(self)!.filter((ref) => dependencies.includes(fullName(components.get(ref)!)));
  const kept = new Set(direct);
  // A set is walked together with what is added meanwhile. A package of the project needs what its own bill says.
  for (const ref of kept) {
    const isOwn = components.get(ref)!.group === "@afterword";
    for (const next of isOwn ? [] : (needs.get(ref) ?? [])) kept.add(next);
  }
  const bundled = bundledIn(packed);
  const isBundled = (component: Component) => bundled.includes(nameOf(component));
  const inBundle = bill.components.filter(isBundled).map((component) => component["bom-ref"]);
  for (const ref of inBundle) kept.add(ref);
  const withLicense = (component: Component): Component => {
    const id = licensesRead[fullName(component)];
    return id === undefined ? component : { ...component, licenses: [{ license: { id } }] };
  };
  return {
    ...bill,
    components: bill.components.filter((component) => kept.has(component["bom-ref"])).map(withLicense),
    dependencies: [
      { ref: self, dependsOn: [...new Set([...direct, ...inBundle])] },
      ...bill.dependencies
        .filter(({ ref }) => kept.has(ref))
        .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
    ],
  };
}

/** One line for each fault of a bill: what is missing, a license to decide about, or what is not CycloneDX. */
export async function checkBill(bill: BillOfMaterials, packed: Packed): Promise<string[]> {
  const manifest = JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8"));
  const listed = new Set(bill.components.map(nameOf));
  const names = new Set(bill.components.map(fullName));
  // The lockfile has settled a range, so that its version is within it.
  const lacking = Object.entries<string>(manifest.dependencies ?? {})
    .filter(([name, version]) => !(/^\d/.test(version) ? listed.has(`${name}@${version}`) : names.has(name)))
    .map(([name, version]) => `${name}@${version}`);
  const missing = [...lacking, ...bundledIn(packed).filter((one) => !listed.has(one))].map(
    (one) =>
      `the bill of materials lacks ${one}: run \`pnpm install\`, and pin the version in ${packed.source}/package.json`,
  );
  const licenses = bill.components.flatMap((component) => {
    const ids = (component.licenses ?? []).map(
      ({ license, expression }) => license?.id ?? license?.name ?? expression!,
    );
    return ids.length > 0 && ids.every((id) => permissive.test(id))
      ? []
      : [
          `${nameOf(component)} has the license ${ids.join(", ") || "none"}: replace it, or allow that in test/release/bill-of-materials.ts`,
        ];
  });
  const error = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(JSON.stringify(bill));
  const invalid =
    error === null
      ? []
      : [`the bill of materials is not CycloneDX 1.6: ${JSON.stringify(error).slice(0, 300)}`];
  return [...missing, ...licenses, ...invalid].map((fault) => `${manifest.name}: ${fault}.`);
}

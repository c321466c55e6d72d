import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** The licenses of all packages whose code is in the bundle ask to be handed on with it. */
export function copyLicenses(): void {
  const { outputs } = JSON.parse(readFileSync("dist/metafile-esm.json", "utf8")) as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
  };
  rmSync("dist/metafile-esm.json");
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => inputs[file]!.bytesInOutput > 0),
  );
  const folderOf = (file: string) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
  const folders = new Set(files.flatMap((file) => folderOf(file) ?? []));
  const texts = [...folders].sort().flatMap((folder) => {
    const license = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    return license ? [`${name}@${version}\n\n${readFileSync(`${folder}/${license}`, "utf8")}`] : [];
  });
  writeFileSync("dist/LICENSES.txt", texts.join("\n\n"));
}

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

// What `/docs` serves of Swagger UI, and whose work it is. As a dependency, its package would report each installation.
const docsFiles = [
  "swagger-ui-bundle.js",
  "swagger-ui-bundle.js.LICENSE.txt",
  "swagger-ui.css",
  "favicon-32x32.png",
];

/** Copies them into `dist/docs` of the package that is being built. */
export function copyDocs(): void {
  for (const name of [...docsFiles, "LICENSE", "NOTICE"])
    cpSync(`node_modules/swagger-ui-dist/${name}`, `dist/docs/${name}`);
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"])
    writeFileSync(`dist/docs/${name}.gz`, gzipSync(readFileSync(`dist/docs/${name}`), { level: 9 }));
}

/** The licenses of all packages whose code is in the bundle, and of what `/docs` serves, ask to be handed on with it. */
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
  const texts = [...folders, "node_modules/swagger-ui-dist"].sort().flatMap((folder) => {
    const license = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    return license ? [`${name}@${version}\n\n${readFileSync(`${folder}/${license}`, "utf8")}`] : [];
  });
  writeFileSync("dist/LICENSES.txt", texts.join("\n\n"));
}

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Lines of source of each package. A package may grow by 3 % beyond its number; more is a decision. To renew a number,
 * replace it by the one that the failure shows, and give the reason in the commit. Lower it after taking code away.
 */
const decided = {
  "packages/protocol": 2027,
  "packages/browser": 7069,
  "packages/react": 452,
  "packages/node": 9861,
  "packages/conformance": 5381,
  "packages/create-afterword": 1019,
  "reference-server": 21096,
};

/** Lines of `.ts`, `.tsx`, `.css` and `.html` under `src`, without tests and fixtures. */
function sourceLines(folder: string): number {
  const paths = globSync(`${folder}/src/**/*.{ts,tsx,css,html}`, { cwd: root });
  return paths
    .filter((path) => !/\.(test|fixture)\.tsx?$|\/fixtures\//.test(path))
    .map((path) => readFileSync(`${root}/${path}`, "utf8").split("\n").length - 1)
    .reduce((sum, lines) => sum + lines, 0);
}

it("every package has its number", () => {
  const packages = globSync("{packages/*,reference-server}/package.json", { cwd: root }).map((path) =>
    path.replace("/package.json", ""),
  );
  expect(Object.keys(decided).toSorted()).toEqual(packages.toSorted());
});

it.each(Object.entries(decided))(
  "%s has at most three percent more lines of source than %i",
  (folder, lines) => {
    expect(sourceLines(folder)).toBeGreaterThan(0);
    expect(sourceLines(folder)).toBeLessThanOrEqual(Math.floor(lines * 1.03));
  },
);

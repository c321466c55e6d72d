/** The oldest supported Node, as in the package's `engines`. */
const oldestNode = "22.14";

/** Says what is wrong with this Node; `undefined` for a supported one. @param version as in `process.version`, for example `v24.1.0` */
export function nodeVersionProblem(version: string): string | undefined {
  const order = new Intl.Collator("en", { numeric: true });
  if (order.compare(version.replace(/^v/, ""), oldestNode) >= 0) return undefined;
  return `The Afterword server needs Node ${oldestNode} or newer; this is ${version}.`;
}

/** Call before SQLite's driver loads, which ends the process of an older Node without a message. @throws Error on one */
export function assertNodeVersion(): void {
  const problem = nodeVersionProblem(process.version);
  if (problem !== undefined) throw new Error(problem);
}

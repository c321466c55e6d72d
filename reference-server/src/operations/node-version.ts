/** The oldest supported Node, as in the package's `engines`. */
export const oldestNode = "22.12";

/** Whether the server supports this Node. @param version as in `process.version`, for example `v24.1.0` */
export function isNodeSupported(version: string): boolean {
  const order = new Intl.Collator("en", { numeric: true });
  return order.compare(version.replace(/^v/, ""), oldestNode) >= 0;
}

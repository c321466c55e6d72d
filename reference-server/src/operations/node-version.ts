/** The oldest Node that the server runs on, as `engines` of the package has it. */
export const oldestNode = "22.12";

/** Whether the server runs on this Node. @param version as `process.version` has it, for example `v24.1.0` */
export function isNodeSupported(version: string): boolean {
  const order = new Intl.Collator("en", { numeric: true });
  return order.compare(version.replace(/^v/, ""), oldestNode) >= 0;
}

import type { Page } from "../page/index.ts";

/** Every IPv6 address but those of the internet and of groups counts as private, as in Chrome. */
const privateHosts = [
  /^(10|127|0|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(\.\d+)+$/,
  /^\[(?![23]|ff)/,
  /^[^.[]+$/,
  /\.(localhost|local|internal|lan|home\.arpa)\.?$/,
];
const loopbackHosts = /^(127\.|0\.0\.0\.0$|\[::(1|ffff:7f..:\w+|)\]$|(.+\.)?localhost\.?$)/;

/** How near an address is, as far as it shows: 0 in the internet, 1 in a private network, 2 on the person's own machine. */
function nearnessOf(host: string): number {
  if (loopbackHosts.test(host)) return 2;
  return privateHosts.some((pattern) => pattern.test(host)) ? 1 : 0;
}

/**
 * The service's host if this page calls into a private network or the person's own machine from outside, for which
 * browsers need the person's permission (Chrome since 142). `undefined` where a page has no host, as in an app.
 */
export function privateHostOf({ document }: Pick<Page, "document">, baseUrl: string): string | undefined {
  const { baseURI } = document;
  const from = baseURI && new URL(baseURI).hostname;
  const to = new URL(baseUrl, baseURI).hostname;
  return from && nearnessOf(to) > nearnessOf(from) ? to : undefined;
}

/** Whether the person has allowed it. */
export async function isAllowed({ navigator }: Pick<Page, "navigator">): Promise<boolean> {
  const states = ["local-network", "loopback-network", "local-network-access"].map(async (name) => {
    const { state } = await navigator.permissions.query({ name: name as PermissionName });
    return state === "granted";
  });
  const settled = await Promise.allSettled(states);
  return settled.some((one) => one.status === "fulfilled" && one.value);
}

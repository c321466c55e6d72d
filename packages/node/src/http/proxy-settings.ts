import type * as net from "node:net";
import { ConfigurationError } from "../errors/afterword-error.ts";

/** Variables of the environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Gives the proxy of an address; `undefined` where there is none. */
export type ProxyOf = (target: URL) => URL | undefined;

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, of which the spelling in lower case goes first. `HTTP_PROXY` also stands for a
 * missing `HTTPS_PROXY`. Returns `undefined` without a proxy. Throws a `ConfigurationError` for a value that is no address.
 */
export function proxySettings(variables: Variables, loadNet: () => typeof net): ProxyOf | undefined {
  const read = (name: string) => {
    const lower = name.toLowerCase();
    const given = variables[lower] === undefined ? name : lower;
    const value = variables[given]?.trim();
    return value ? checkedProxy(given, value) : undefined;
  };
  const plain = read("HTTP_PROXY");
  const secure = read("HTTPS_PROXY") ?? plain;
  if (secure === undefined) return undefined;
  const { BlockList, isIP } = loadNet();
  const ranges = new BlockList();
  const names: ((host: string, port: string) => boolean)[] = [];
  for (const entry of (variables["no_proxy"] ?? variables["NO_PROXY"] ?? "").toLowerCase().split(/[\s,]+/)) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (isIP(address) !== 0 && Number(bits) <= (family === "ipv6" ? 128 : 32))
      ranges.addSubnet(address, Number(bits), family);
    else if (entry !== "") names.push(nameMatcher(entry, isIP(entry) !== 0));
  }
  return (target) => {
    const host = hostOf(target);
    const port = target.port || (target.protocol === "https:" ? "443" : "80");
    const isInRange = isIP(host) !== 0 && ranges.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
    if (isInRange || names.some((matches) => matches(host, port))) return undefined;
    return target.protocol === "https:" ? secure : plain;
  };
}

/** The name or address of a URL, without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, "");

/** As curl reads an entry: `example.com`, `.example.com` and `*.example.com` cover the name and those below it. */
function nameMatcher(entry: string, isAddress: boolean): (host: string, port: string) => boolean {
  if (entry === "*") return () => true;
  const [, given = entry, ownPort] = isAddress ? [] : (/^(.*):(\d+)$/.exec(entry) ?? []);
  const name = given.replace(/^\[|\]$/g, "").replace(/^\*?\./, "");
  return (host, port) =>
    (host === name || host.endsWith(`.${name}`)) && (ownPort === undefined || ownPort === port);
}

function checkedProxy(name: string, value: string): URL {
  const hasScheme = value.includes("://");
  const url =
    hasScheme || /^[^/\s]+:\d+\/?$/.test(value) ? URL.parse(hasScheme ? value : `http://${value}`) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  // Without its value, which may hold a password.
  throw new ConfigurationError(
    `${name} must be the address of an HTTP proxy, such as http://proxy.example.com:3128; or unset it.`,
  );
}

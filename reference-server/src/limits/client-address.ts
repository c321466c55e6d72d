import { isIPv6 } from "node:net";

/** An IPv6 client owns a whole /64; an IPv4 address inside IPv6 is itself. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.toLowerCase().split("%")[0]!.split("::");
  const first = head ? head.split(":") : [];
  const last = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array.from({ length: zeros }, () => "0"), ...last];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/**
 * Whom the limits count. X-Forwarded-For is believed only as far as proxies of our own wrote it: everything left of that
 * can be made up by the client (decision D43).
 */
export function clientAddress(
  socket: string,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  if (trustedProxies === 0 || forwardedFor === undefined) return networkOf(socket);
  const hops = forwardedFor.split(",").map((hop) => hop.trim());
  return networkOf(hops.at(-Math.min(trustedProxies, hops.length)) || socket);
}

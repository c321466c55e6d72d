import ipaddr from "ipaddr.js";

/** Proxies add a port to some addresses, and brackets to those of IPv6 (RFC 7239, section 6). */
const withPort = /^(?:\[(?<inBrackets>[^\]]*)\]|(?<ofVersion4>[\d.]+))(?::\d{1,5})?$/;

/** `undefined` for anything but an address of four decimal parts or of IPv6. */
function parsed(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const { inBrackets, ofVersion4 } = withPort.exec(text)?.groups ?? {};
  const address = inBrackets ?? ofVersion4 ?? text;
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  // An IPv4 address inside IPv6 becomes itself.
  return isAddress ? ipaddr.process(address) : undefined;
}

/** In one spelling. An IPv6 client owns a whole /64. */
function networkOf(text: string): string | undefined {
  const address = parsed(text);
  if (!address || address.kind() === "ipv4") return address?.toString();
  const hostParts = [0, 0, 0, 0];
  const network = new ipaddr.IPv6([...(address as ipaddr.IPv6).parts.slice(0, 4), ...hostParts]);
  return `${network.toString()}/64`;
}

/**
 * The client that limits count, in one spelling. X-Forwarded-For is believed only as far as trusted proxies wrote it, since
 * a client can make up everything left of that (decision D43). What is not an address counts as the socket's.
 */
export function clientAddress(
  socket: string,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  const hops = trustedProxies === 0 ? [] : (forwardedFor ?? "").split(",").map((hop) => hop.trim());
  const hop = hops.at(-Math.min(trustedProxies, hops.length)) ?? "";
  return networkOf(hop) ?? networkOf(socket) ?? socket;
}

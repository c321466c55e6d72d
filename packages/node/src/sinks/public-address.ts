import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** NAT64 of a network of one's own (RFC 8215): it leads wherever its operator wants. */
const localNat64 = ipaddr.parseCIDR("64:ff9b:1::/48");
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address is one of the public internet. Everything else is refused: loopback, private, link-local,
 * carrier and documentation ranges, and each way of writing an IPv4 address inside an IPv6 one.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed.kind() === "ipv4") return true;
  const inside = parsed as ipaddr.IPv6;
  return inside.match(globalUnicast) && !inside.match(localNat64);
}

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** NAT64 inside a local network (RFC 8215): its operator decides where it leads. */
const localNat64 = ipaddr.parseCIDR("64:ff9b:1::/48");
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address is on the public internet. Loopback, private, link-local, carrier and documentation ranges are
 * not, nor is any IPv4 address embedded in an IPv6 one.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed.kind() === "ipv4") return true;
  const inside = parsed as ipaddr.IPv6;
  return inside.match(globalUnicast) && !inside.match(localNat64);
}

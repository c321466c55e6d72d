import { describe, expect, it } from "vitest";
import { clientAddress } from "./client-address.ts";

describe("the address that limits count", () => {
  it("is the socket's while no proxy is trusted, whatever a client claims", () => {
    expect(clientAddress("192.0.2.1", "198.51.100.7", 0)).toBe("192.0.2.1");
  });

  it("is what the trusted proxies wrote: the entry so many places from the right", () => {
    expect(clientAddress("10.0.0.1", "1.1.1.1, 198.51.100.7", 1)).toBe("198.51.100.7");
    expect(clientAddress("10.0.0.1", "1.1.1.1, 198.51.100.7, 10.0.0.2", 2)).toBe("198.51.100.7");
  });

  it("is the leftmost entry when there are fewer than proxies, and the socket's when there is none", () => {
    expect(clientAddress("10.0.0.1", "198.51.100.7", 3)).toBe("198.51.100.7");
    expect(clientAddress("10.0.0.1", undefined, 1)).toBe("10.0.0.1");
    expect(clientAddress("10.0.0.1", "", 1)).toBe("10.0.0.1");
  });

  it.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:db8::9", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
  ])("of IPv6 is the /64 network: %s is %s", (socket, network) => {
    expect(clientAddress(socket, undefined, 0)).toBe(network);
  });
});

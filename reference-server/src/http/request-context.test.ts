import { describe, expect, it } from "vitest";
import { clientAddress } from "./request-context.ts";

describe("the client address for rate limits", () => {
  it("is the socket's while no proxy is trusted, even with X-Forwarded-For", () => {
    expect(clientAddress("192.0.2.1", "198.51.100.7", 0)).toBe("192.0.2.1");
  });

  it("is the entry of the outermost trusted proxy, counted from the right", () => {
    expect(clientAddress("10.0.0.1", "1.1.1.1, 198.51.100.7", 1)).toBe("198.51.100.7");
    expect(clientAddress("10.0.0.1", "1.1.1.1, 198.51.100.7, 10.0.0.2", 2)).toBe("198.51.100.7");
  });

  it("is the leftmost entry when there are fewer than proxies, and the socket's without any", () => {
    expect(clientAddress("10.0.0.1", "198.51.100.7", 3)).toBe("198.51.100.7");
    expect(clientAddress("10.0.0.1", undefined, 1)).toBe("10.0.0.1");
    expect(clientAddress("10.0.0.1", "", 1)).toBe("10.0.0.1");
  });

  it.each([
    ["192.0.2.9:4000", "192.0.2.9"],
    ["192.0.2.9:4001", "192.0.2.9"],
    ["[2001:db8::5]:4000", "2001:db8::/64"],
    ["[2001:db8::5]", "2001:db8::/64"],
    ["2001:0DB8:0:0:0:0:0:6", "2001:db8::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["::1", "::/64"],
    ["::ffff:192.0.2.9", "192.0.2.9"],
    ["[::ffff:c000:209]:4000", "192.0.2.9"],
  ])("is normalised: %s is %s", (hop, client) => {
    expect(clientAddress("10.0.0.1", hop, 1)).toBe(client);
    expect(clientAddress(hop, undefined, 0)).toBe(client);
  });

  it.each([
    "unknown",
    "_hidden",
    "192.0.2",
    "0x7f.1",
    "192.0.2.300",
    "192.0.2.9:port",
    "[2001:db8::5",
    "<script>",
  ])("is the socket's when a proxy sends the invalid address %j", (hop) => {
    expect(clientAddress("10.0.0.1", hop, 1)).toBe("10.0.0.1");
    expect(clientAddress("2001:db8::5", hop, 1)).toBe("2001:db8::/64");
  });
});

import { describe, expect, it } from "vitest";
import { isAllowed, privateHostOf } from "./private-network.ts";

const hostFor = (page: string | undefined, baseUrl: string) =>
  privateHostOf({ document: { baseURI: page } as Document }, baseUrl);

describe("a page calls from outside", () => {
  it.each([
    ["https://shop.example", "http://localhost:4330", "localhost"],
    ["https://shop.example", "http://feedback.localhost", "feedback.localhost"],
    ["https://shop.example", "http://127.0.0.1:4330", "127.0.0.1"],
    ["https://shop.example", "http://[::1]:4330", "[::1]"],
    ["https://shop.example", "https://10.1.2.3", "10.1.2.3"],
    ["https://shop.example", "https://172.16.0.1", "172.16.0.1"],
    ["https://shop.example", "https://172.31.0.1", "172.31.0.1"],
    ["https://shop.example", "https://192.168.1.4/feedback", "192.168.1.4"],
    ["https://shop.example", "https://169.254.1.1", "169.254.1.1"],
    ["https://shop.example", "https://100.64.0.1", "100.64.0.1"],
    ["https://shop.example", "https://[fd00::1]", "[fd00::1]"],
    ["https://shop.example", "https://[fe80::1]", "[fe80::1]"],
    ["https://shop.example", "https://[::ffff:192.168.0.1]", "[::ffff:c0a8:1]"],
    ["https://shop.example", "https://feedback.local", "feedback.local"],
    ["https://shop.example", "https://feedback.corp.internal", "feedback.corp.internal"],
    ["https://shop.example", "https://feedback", "feedback"],
    ["https://8.8.8.8", "https://2130706433", "127.0.0.1"],
    ["http://192.168.0.2", "http://localhost:4330", "localhost"],
  ])("%s and %s", (page, baseUrl, host) => {
    expect(hostFor(page, baseUrl)).toBe(host);
  });
});

describe("a page does not", () => {
  it.each([
    ["https://shop.example", "https://feedback.example.com"],
    ["https://shop.example", "/feedback"],
    ["https://shop.example", "https://10.example.com"],
    ["https://shop.example", "https://172.32.0.1"],
    ["https://shop.example", "https://100.128.0.1"],
    ["https://shop.example", "https://11.0.0.1"],
    ["https://shop.example", "https://[2001:db8::1]"],
    ["https://shop.example", "https://localhost.example.com"],
    ["http://localhost:3000", "http://127.0.0.1:4330"],
    ["http://192.168.0.2", "http://192.168.0.9"],
    ["http://localhost:3000", "https://192.168.0.9"],
    ["file:///page.html", "http://localhost:4330"],
    ["about:blank", "http://localhost:4330"],
    [undefined, "http://192.168.0.9"],
  ])("%s and %s", (page, baseUrl) => {
    expect(hostFor(page, baseUrl)).toBeUndefined();
  });
});

describe("the permission", () => {
  const navigatorThat = (query: (name: string) => Promise<string>) =>
    ({
      navigator: {
        permissions: { query: async ({ name }: { name: string }) => ({ state: await query(name) }) },
      },
    }) as unknown as Parameters<typeof isAllowed>[0];

  it.each(["local-network", "loopback-network", "local-network-access"])(
    "%s counts if granted",
    async (granted) => {
      const query = async (name: string) => {
        if (name === granted) return "granted";
        throw new TypeError("no such permission");
      };
      expect(await isAllowed(navigatorThat(query))).toBe(true);
    },
  );

  it("counts neither while it would be asked for, nor in a browser without it or without any", async () => {
    expect(await isAllowed(navigatorThat(async () => "prompt"))).toBe(false);
    expect(await isAllowed(navigatorThat(() => Promise.reject(new TypeError())))).toBe(false);
    expect(await isAllowed({ navigator: {} as Navigator })).toBe(false);
  });
});

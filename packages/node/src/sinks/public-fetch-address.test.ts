import { describe, expect, it } from "vitest";
import { isPublicAddress, publicFetch } from "./public-fetch.ts";

/**
 * Every way to write an address that is not one of the public internet, as a URL: of this machine; of private networks;
 * link-local, with the metadata services of clouds; of carriers, benchmarks, documentation, reserved, multicast,
 * broadcast; and an IPv4 address inside an IPv6 one: mapped, compatible, translated, 6to4, NAT64, Teredo, ORCHID.
 */
const refused = `
    http://127.0.0.1/ http://127.0.0.2/ http://127.255.255.254/ http://127.1/ http://2130706433/
    http://0x7f000001/ http://0x7f.0.0.1/ http://0177.0.0.1/ http://017700000001/ http://127.0.0.1./
    http://①②⑦.⓪.⓪.①/ http://0/ http://0.0.0.0/ http://[::1]/ http://[0:0:0:0:0:0:0:1]/ http://[::]/
    http://10.0.0.1/ http://10.255.255.255/ http://167772161/ http://012.0.0.1/ http://172.16.0.1/
    http://172.31.255.255/ http://192.168.0.1/ http://192.168.255.255/ http://0xc0a80001/
    http://[fc00::1]/ http://[fd12:3456:789a::1]/ http://[fec0::1]/
    http://169.254.0.1/ http://169.254.169.254/latest/meta-data/ http://2852039166/
    http://[fe80::1]/ http://[fd00:ec2::254]/ http://100.100.100.200/
    http://100.64.0.1/ http://100.127.255.255/ http://198.18.0.1/ http://198.19.255.255/
    http://192.0.0.1/ http://192.0.2.1/ http://198.51.100.1/ http://203.0.113.1/ http://192.88.99.1/
    http://224.0.0.1/ http://239.255.255.255/ http://240.0.0.1/ http://255.255.255.255/
    http://[2001:db8::1]/ http://[3fff::1]/ http://[ff02::1]/ http://[100::1]/ http://[5f00::1]/
    http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[::ffff:10.0.0.1]/
    http://[::ffff:169.254.169.254]/ http://[::ffff:8.8.8.8]/ http://[::127.0.0.1]/
    http://[::10.0.0.1]/ http://[::ffff:0:127.0.0.1]/ http://[2002:7f00:1::]/ http://[2002:a00:1::]/
    http://[2002:a9fe:a9fe::]/ http://[64:ff9b::7f00:1]/ http://[64:ff9b::a9fe:a9fe]/
    http://[64:ff9b:1::a00:1]/ http://[2001::1]/ http://[2001:0:7f00:1::]/ http://[2001:10::1]/
    http://[2001:20::1]/ http://[2001:2::1]/
`
  .trim()
  .split(/\s+/);

describe("an address that is not one of the public internet", () => {
  it.each(refused)("%s is refused before anything is sent", async (url) => {
    const lookup = () => {
      throw new Error("an address needs no look-up");
    };
    const fetch = publicFetch({}, lookup as never);
    await expect(fetch(url, { method: "POST", body: "{}" })).rejects.toMatchObject({
      code: "EPRIVATEADDRESS",
    });
  });
});

describe("an address of the public internet", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "93.184.215.14",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "192.169.0.1",
    "2606:4700::1111",
    "2a00:1450:4001:830::200e",
  ])("%s is let through", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(["", "localhost", "8.8.8", "8.8.8.8.8", "0x8080808", "fe80::1%eth0"])("%j is none", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

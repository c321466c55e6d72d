import * as net from "node:net";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { proxySettings } from "./proxy-settings.ts";

const proxyOf = (variables: Record<string, string>, target: string) =>
  proxySettings(variables, () => net)?.(new URL(target))?.href;
const [plain, secure] = ["http://service.test/", "https://service.test/"];
const [one, two] = ["http://one.test:3128/", "http://two.test:3128/"];

describe("the proxy of an address", () => {
  it.each<[string, Record<string, string>, (string | undefined)[]]>([
    ["no variable", {}, [undefined, undefined]],
    ["HTTP_PROXY", { HTTP_PROXY: one }, [one, one]],
    ["HTTPS_PROXY", { HTTPS_PROXY: two }, [undefined, two]],
    ["both", { HTTP_PROXY: one, HTTPS_PROXY: two }, [one, two]],
    ["lower case", { http_proxy: one, https_proxy: two }, [one, two]],
    ["lower case before upper case", { http_proxy: one, HTTP_PROXY: two }, [one, one]],
    [
      "an empty value in lower case, which takes the other one away",
      { http_proxy: "", HTTP_PROXY: two },
      [undefined, undefined],
    ],
    ["an empty value", { HTTP_PROXY: one, HTTPS_PROXY: " " }, [one, one]],
    [
      "ALL_PROXY, which counts for nothing, as in Node",
      { ALL_PROXY: one, all_proxy: two },
      [undefined, undefined],
    ],
    ["no scheme", { HTTP_PROXY: "one.test:3128" }, [one, one]],
    [
      "a name and no scheme",
      { HTTP_PROXY: "a:b@one.test:3128/" },
      [`http://a:b@one.test:3128/`, `http://a:b@one.test:3128/`],
    ],
    ["a proxy by HTTPS", { HTTPS_PROXY: "https://one.test" }, [undefined, "https://one.test/"]],
  ])("by %s", (_, variables, expected) =>
    expect([plain, secure].map((target) => proxyOf(variables, target))).toEqual(expected),
  );

  it.each<[string, string[], string[]]>([
    ["service.test", [plain, "http://SERVICE.test:81", "http://a.service.test"], ["http://aservice.test"]],
    [".service.test", [plain, "http://a.service.test"], ["http://aservice.test"]],
    ["*.service.test", ["http://a.b.service.test"], ["http://aservice.test"]],
    ["Service.Test:80", [plain], ["http://service.test:81", "https://service.test"]],
    ["service.test:443", [secure], [plain]],
    ["*", [plain, secure, "http://[::1]"], []],
    ["other.test, service.test", [plain, "http://other.test"], ["http://third.test"]],
    ["other.test service.test", [plain, "http://other.test"], ["http://third.test"]],
    [" , ,", [], [plain]],
    ["10.0.0.0/8", ["http://10.255.0.1"], ["http://11.0.0.1", "http://ten.test"]],
    ["192.168.1.7", ["http://192.168.1.7:8080"], ["http://192.168.1.70"]],
    ["::1", ["http://[::1]:3000"], ["http://[::2]"]],
    ["[::1]:3000", ["http://[::1]:3000"], ["http://[::1]"]],
    ["fd00::/8", ["http://[fd12::1]"], ["http://[fe80::1]", "http://10.0.0.1"]],
    ["10.0.0.0/99, 10.0.0.0/x, 1/2/3", [], ["http://10.0.0.0"]],
  ])("is none where NO_PROXY is %s", (list, around, through) => {
    for (const name of ["NO_PROXY", "no_proxy"]) {
      const variables = { HTTP_PROXY: one, [name]: list };
      for (const target of around) expect([target, proxyOf(variables, target)]).toEqual([target, undefined]);
      for (const target of through) expect([target, proxyOf(variables, target)]).toEqual([target, one]);
    }
  });

  it.each([
    "nonsense",
    "http://",
    "://",
    "//one.test:1",
    "socks5://u:s3cr3t@one.test:1",
    "ftp://one.test",
    "http://one.test:99999",
    "one test:80",
    "http:one.test:80",
    "3128",
  ])("%s is a mistake that names its variable and no value", (value) => {
    for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"]) {
      const read = () => proxyOf({ [name]: value }, plain);
      expect(read).toThrow(ConfigurationError);
      expect(read).toThrow(`${name} must be the address of an HTTP proxy`);
      expect(read).not.toThrow("s3cr3t");
    }
  });
});

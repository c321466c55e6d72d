import { expect, it } from "vitest";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { proxiedFetch } from "./environment-fetch.ts";

it.each([
  "nonsense",
  "http://",
  "://",
  "//one.test:1",
  "socks5://u:s3cr3t@one.test:1",
  "http://u:s3cr3t%@one.test:1",
  "ftp://one.test",
  "http://one.test:99999",
  "one test:80",
  "http:one.test:80",
  "3128",
])("%s is a mistake that names its variable and no value", (value) => {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"]) {
    const read = () => proxiedFetch({ [name]: value });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(`${name} must be the address of an HTTP proxy`);
    expect(read).not.toThrow("s3cr3t");
  }
});

it.each<[string, Record<string, string>]>([
  ["a variable", {}],
  ["a value", { HTTP_PROXY: "", HTTPS_PROXY: " " }],
  ["a value in lower case, which goes first", { http_proxy: "", HTTP_PROXY: "http://one.test:3128" }],
  ["a variable that counts", { ALL_PROXY: "http://one.test:3128", NO_PROXY: "two.test" }],
])("no proxy is used without %s", (_, variables) => expect(proxiedFetch(variables)).toBeUndefined());

import { describe, expect, it } from "vitest";
import { isLoopbackHost, isOriginAllowed, isOriginPattern } from "./origins.ts";

describe("a pattern of a project's list", () => {
  it.each([
    "https://a.example",
    "http://localhost:3000",
    "https://*.a.example",
    "https://*.a.example:8443",
    "*",
    "null",
  ])("%s is one", (pattern) => expect(isOriginPattern(pattern)).toBe(true));

  it.each([
    "a.example",
    "https://a.example/",
    "https://a.example/x",
    "https://*",
    "*.a.example",
    "https://a.*.example",
    "https://*a.example",
    "ftp://a.example",
    "javascript:1",
    "",
    "https://a.example?x",
    "https://u@a.example",
  ])("%j is none", (pattern) => expect(isOriginPattern(pattern)).toBe(false));
});

describe("an origin", () => {
  it.each([
    ["https://a.example", "https://a.example"],
    ["https://a.example:443", "https://a.example"],
    ["https://a.example", "https://a.example:443"],
    ["http://a.example:80", "http://a.example"],
    ["https://A.Example", "https://a.example"],
    ["https://*.a.example", "https://b.a.example"],
    ["https://*.a.example", "https://c.b.a.example"],
    ["https://*.a.example:8443", "https://b.a.example:8443"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["*", "https://anything.example"],
    ["null", "null"],
  ])("the list [%s] allows %s", (pattern, origin) => expect(isOriginAllowed([pattern], origin)).toBe(true));

  it.each([
    ["https://a.example", "http://a.example"],
    ["https://a.example", "https://a.example:444"],
    ["https://a.example", "https://a.example.evil"],
    ["https://a.example", "https://xa.example"],
    ["https://*.a.example", "https://a.example"],
    ["https://*.a.example", "https://.a.example"],
    ["https://*.a.example", "https://xa.example"],
    ["https://*.a.example", "http://b.a.example"],
    ["https://*.a.example", "https://b.a.example:8443"],
    ["https://*.a.example", "https://b.a.example.evil"],
    ["*", "null"],
    ["*", "not an origin"],
    ["https://a.example", "null"],
  ])("the list [%s] refuses %s", (pattern, origin) => expect(isOriginAllowed([pattern], origin)).toBe(false));

  it("of an empty list refuses every origin", () => {
    expect(isOriginAllowed([], "https://a.example")).toBe(false);
  });
});

describe("a Host header", () => {
  it.each([
    "localhost",
    "localhost:4330",
    "LOCALHOST:4330",
    "127.0.0.1",
    "127.0.0.1:80",
    "[::1]",
    "[::1]:4330",
  ])("%s names this machine", (host) => expect(isLoopbackHost(host)).toBe(true));

  it.each([
    "",
    "evil.example",
    "localhost.evil.example",
    "evil.example#localhost",
    "localhost@evil.example",
    "evil@localhost",
    "localhost/evil",
    "localhost.",
    "localhost, evil.example",
    "127.0.0.2",
    "0.0.0.0",
    "[::]",
  ])("[%s] does not", (host) => expect(isLoopbackHost(host)).toBe(false));
});

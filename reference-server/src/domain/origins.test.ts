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
    ["https://a.example:443", "https://a.example"],
    ["http://a.example:80", "http://a.example"],
    ["https://A.Example", "https://a.example"],
    ["https://*.a.example:8443", "https://b.a.example:8443"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["https://*.wild.example", "https://a.b.wild.example"],
    ["http://localhost:5173", "http://localhost:5173"],
    ["*", "https://any.example"],
    ["null", "null"],
  ])("the list [%s] allows %s", (pattern, origin) => expect(isOriginAllowed([pattern], origin)).toBe(true));

  it.each([
    ["https://*.a.example", "https://.a.example"],
    ["*", "not an origin"],
    ["https://*.wild.example", "https://wild.example"],
    ["https://*.wild.example", "https://evilwild.example"],
    ["https://*.wild.example", "https://a.wild.example.evil.example"],
    ["https://*.wild.example", "https://a.wild.example:8443"],
    ["https://*.wild.example", "http://a.wild.example"],
    ["https://*.wild.example", "https://*.wild.example"],
    ["http://localhost:5173", "http://localhost"],
    ["*", "null"],
    ["null", "https://any.example"],
  ])("the list [%s] refuses %s", (pattern, origin) => expect(isOriginAllowed([pattern], origin)).toBe(false));
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

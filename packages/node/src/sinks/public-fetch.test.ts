import type { LookupAddress } from "node:dns";
import type { RequestListener } from "node:http";
import { serveLocally } from "@afterword/command-line/local-server.fixture";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publicFetch } from "./public-fetch.ts";

let seen: string[] = [];
const sockets = new Set<unknown>();
const answer: RequestListener = (request, reply) => {
  sockets.add(request.socket);
  seen.push(`${request.method} ${request.headers.host} ${request.url}`);
  if (request.url === "/redirect") reply.writeHead(302, { location: "http://169.254.169.254/" }).end();
  else if (request.url === "/nothing") reply.writeHead(204).end();
  else reply.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("taken");
};
let close: () => Promise<void>;
let port = "";

beforeEach(async () => {
  seen = [];
  sockets.clear();
  const server = await serveLocally(answer);
  ({ close } = server);
  ({ port } = new URL(server.url));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await close();
});

/** A name server that answers each question with the next of the given addresses. */
function nameServer(...answers: string[][]) {
  let asked = 0;
  const lookup = (_: string, __: object, callback: (error: null, found: LookupAddress[]) => void) => {
    const addresses = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { lookup: lookup as never, asked: () => asked };
}

describe("a request to an untrusted address", () => {
  it.each([
    ["a loopback address", ["127.0.0.1"]],
    ["the metadata service of a cloud", ["169.254.169.254"]],
    ["a private address hidden among public ones", ["93.184.215.14", "10.0.0.7"]],
    ["an IPv6 address that holds a private one", ["::ffff:10.0.0.7"]],
    ["no address at all", []],
  ])("is refused when the name leads to %s", async (_, addresses) => {
    const fetch = publicFetch({}, nameServer(addresses).lookup);
    await expect(fetch(`http://hooks.test:${port}/`)).rejects.toMatchObject({ code: "EPRIVATEADDRESS" });
    expect(seen).toEqual([]);
  });

  it("is refused behind a proxy where it names this machine or a private address, and any other name is the proxy's", async () => {
    vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${port}`);
    const fetch = publicFetch();
    for (const host of [
      "127.0.0.1",
      "[::1]",
      "10.0.0.8",
      "0x7f.1",
      "[::ffff:a00:7]",
      "localhost",
      "LOCALHOST.",
      "a.localhost",
    ])
      await expect(fetch(`http://${host}:${port}/`)).rejects.toMatchObject({ code: "EPRIVATEADDRESS" });
    expect(seen).toEqual([]);
    expect((await fetch("http://intranet/score")).status).toBe(200);
    const own = publicFetch({ allowPrivateAddresses: true });
    expect((await own("http://localhost/score")).status).toBe(200);
    vi.stubEnv("NO_PROXY", "localhost,intranet");
    const around = publicFetch({}, nameServer(["10.0.0.7"]).lookup);
    for (const host of ["localhost", "intranet"])
      await expect(around(`http://${host}:${port}/`)).rejects.toMatchObject({ code: "EPRIVATEADDRESS" });
    expect(seen).toEqual(["GET intranet http://intranet/score", "GET localhost http://localhost/score"]);
  });

  it("is refused when the name was public a moment ago (DNS rebinding): each connection is checked by itself", async () => {
    const names = nameServer(["93.184.215.14"], ["127.0.0.1"]);
    const fetch = publicFetch({}, names.lookup);
    const first = new AbortController();
    // The public address is not waited for: what matters is that it was let through.
    const attempt = fetch("http://hooks.test:9/", { signal: first.signal }).catch((error: unknown) => error);
    first.abort();
    expect(await attempt).not.toMatchObject({ code: "EPRIVATEADDRESS" });

    await expect(fetch(`http://hooks.test:${port}/`)).rejects.toMatchObject({ code: "EPRIVATEADDRESS" });
    expect(seen).toEqual([]);
  });

  it("goes to private networks when that is allowed", async () => {
    const names = nameServer(["127.0.0.1"]);
    const fetch = publicFetch({ allowPrivateAddresses: true }, names.lookup);
    const response = await fetch(`http://hooks.test:${port}/in?x=1`, { method: "POST", body: "{}" });
    expect([response.status, await response.text()]).toEqual([200, "taken"]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(seen).toEqual([`POST hooks.test:${port} /in?x=1`]);
    expect(names.asked()).toBe(1);
  });

  it("follows no redirect", async () => {
    const fetch = publicFetch({ allowPrivateAddresses: true });
    const response = await fetch(`http://127.0.0.1:${port}/redirect`);
    expect(response.status).toBe(302);
    expect(seen).toHaveLength(1);
  });

  it("takes an answer without a body", async () => {
    const fetch = publicFetch({ allowPrivateAddresses: true });
    const response = await fetch(`http://127.0.0.1:${port}/nothing`);
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it("ends when it is aborted, and says by its code why it failed", async () => {
    const fetch = publicFetch({ allowPrivateAddresses: true });
    await expect(fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.abort() })).rejects.toThrow();
    await expect(fetch("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("a connection", () => {
  it("serves one request after the other", async () => {
    const fetch = publicFetch({ allowPrivateAddresses: true });
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(`http://127.0.0.1:${port}/`)).text();
    expect(sockets.size).toBe(1);
  });
});

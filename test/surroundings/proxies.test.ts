import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Server as Proxy } from "proxy-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";
import { bundleOnce } from "../faults/bundle-once.ts";
import { ForwarderWorld } from "../faults/forwarder-world.ts";
import { endOf } from "../program-end.ts";

const [user, password] = ["agent@shop", "pa:ss/w%rd"];
const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let folder: string;
let program: string;
let client: string;
let world: ForwarderWorld;
/** By way of which hosts and ports came what, and who has asked. */
const seen: string[] = [];
const received: { type: string }[] = [];
const proxy = new Proxy({
  port: 0,
  host: "127.0.0.1",
  prepareRequestFunction({ request, hostname, port, isHttp, username, password: given }) {
    seen.push(`${isHttp ? request.method : "CONNECT"} ${hostname}:${port}`);
    return { requestAuthentication: username !== user || given !== password };
  },
});

/** A server by HTTPS in front of the service, under a certificate of its own, and a receiver of webhooks by HTTP. */
let receiver: Awaited<ReturnType<typeof serveLocally>>;
let secure: ReturnType<typeof createSecureServer>;
const securePort = () => (secure.address() as AddressInfo).port;
const proxyUrl = () => `http://${credentials}@127.0.0.1:${proxy.port}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "afterword-proxies-"));
  const subject = "req -x509 -newkey rsa:2048 -noenc -days 2 -subj /CN=service.test -addext";
  const names = "subjectAltName=DNS:service.test,DNS:localhost,IP:127.0.0.1";
  const files = ["-keyout", "key.pem", "-out", "certificate.pem"];
  execFileSync("openssl", [...subject.split(" "), names, ...files], { cwd: folder, stdio: "ignore" });
  const [key, cert] = ["key.pem", "certificate.pem"].map((name) => readFileSync(join(folder, name), "utf8"));
  world = await ForwarderWorld.start();
  secure = createSecureServer({ key, cert }, (incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    const target = new URL(url, world.connection.baseUrl);
    incoming.pipe(
      plainRequest(target, { method, headers }, (reply) =>
        reply.pipe(outgoing.writeHead(reply.statusCode!, reply.headers)),
      ),
    );
  });
  await once(secure.listen(0, "127.0.0.1"), "listening");
  receiver = await serveLocally(async (request, response) => {
    received.push((await json(request)) as { type: string });
    response.writeHead(204).end();
  });
  await proxy.listen();
  program = await bundleOnce(at("packages/node/src/cli.ts"), "packages/node");
  client = await bundleOnce(at("test/surroundings/proxied-client.ts"), "packages/node");
}, 60_000);
afterAll(async () => {
  await proxy.close(true);
  secure.close();
  secure.closeAllConnections();
  await receiver.close();
  await world[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  seen.length = 0;
  received.length = 0;
});

/** Runs a program with these variables and no other proxy. */
async function run(file: string, args: readonly string[], variables: Record<string, string>) {
  const { baseUrl, secretKey } = world.connection;
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_EXTRA_CA_CERTS: join(folder, "certificate.pem"),
      AFTERWORD_BASE_URL: baseUrl,
      AFTERWORD_SECRET_KEY: secretKey,
      AFTERWORD_WEBHOOK_URL: `${receiver.url}/scores`,
      AFTERWORD_WEBHOOK_SECRET: "whsec_dGhpcy1pcy1vbmx5LWZvci10ZXN0cw==",
      AFTERWORD_WEBHOOK_ALLOW_PRIVATE: "true",
      ...variables,
    },
  });
  const { code, out, error } = await endOf(child);
  return { code, output: out, all: out + error };
}
const forwardOnce = ["forward", "--once", "--json", "--sink", "webhook"];
const secureUrl = (host = "127.0.0.1") => `https://${host}:${securePort()}`;
const plainHost = () => new URL(world.connection.baseUrl).host;

describe("behind a proxy", () => {
  it.each<[string, (url: string) => Record<string, string>]>([
    ["HTTP_PROXY", (url) => ({ HTTP_PROXY: url })],
    ["http_proxy", (url) => ({ http_proxy: url })],
    ["http_proxy before HTTP_PROXY", (url) => ({ http_proxy: url, HTTP_PROXY: "http://127.0.0.1:9" })],
    ["an address without its scheme", (url) => ({ HTTP_PROXY: url.replace("http://", "") })],
  ])("%s leads the forwarder to service and sink by HTTP, with name and password", async (_, variables) => {
    await world.rate(2);
    const { code, output } = await run(program, forwardOnce, variables(proxyUrl()));
    expect([code, JSON.parse(output)]).toMatchObject([0, { delivered: 2, isComplete: true }]);
    expect(received).toHaveLength(2);
    expect(seen).toContain(`GET ${plainHost()}`);
    expect(seen.filter((one) => one === `POST ${new URL(receiver.url).host}`).length).toBeGreaterThanOrEqual(
      2,
    );
  });

  it.each<[string, () => Record<string, string>]>([
    ["HTTPS_PROXY", () => ({ HTTPS_PROXY: proxyUrl() })],
    ["https_proxy", () => ({ https_proxy: proxyUrl() })],
    ["HTTP_PROXY where HTTPS_PROXY is missing", () => ({ HTTP_PROXY: proxyUrl(), no_proxy: "10.0.0.0/8" })],
  ])("%s leads it through one tunnel to a service by HTTPS", async (_, variables) => {
    await world.rate(1);
    const { code, output } = await run(program, forwardOnce, {
      AFTERWORD_BASE_URL: secureUrl(),
      ...variables(),
    });
    expect([code, JSON.parse(output)]).toMatchObject([0, { delivered: 1, isComplete: true }]);
    const tunnels = seen.filter((one) => one === `CONNECT 127.0.0.1:${securePort()}`);
    expect(tunnels.length).toBeGreaterThan(0);
    // The proxy is asked once for its name and password, and the connection is used again.
    expect(tunnels.length).toBeLessThanOrEqual(2);
  });

  it("doctor and the client go through it, and a certificate that nobody vouches for is refused", async () => {
    const variables = { AFTERWORD_BASE_URL: secureUrl(), HTTPS_PROXY: proxyUrl() };
    const doctor = await run(program, ["doctor"], variables);
    expect(doctor.output).toContain(`ok       service: ${secureUrl()} answers\n`);
    const minted = await run(client, [], variables);
    expect(JSON.parse(minted.output)).toEqual({ gated: false });
    const unknown = await run(client, [], {
      ...variables,
      NODE_EXTRA_CA_CERTS: "",
      AFTERWORD_MAX_RETRIES: "0",
    });
    expect(unknown.all).toContain("could not connect (DEPTH_ZERO_SELF_SIGNED_CERT)");
    expect(seen.filter((one) => one !== `CONNECT 127.0.0.1:${securePort()}`)).toEqual([]);
  });
});

describe("a proxy that", () => {
  const wrong = () => `http://agent:s3cr3t-word@127.0.0.1:${proxy.port}`;

  it.each<[string, () => Record<string, string>, () => string]>([
    [
      "refuses by HTTP",
      () => ({ HTTP_PROXY: wrong() }),
      () => `the proxy http://127.0.0.1:${proxy.port} answered 407`,
    ],
    [
      "refuses a tunnel",
      () => ({ AFTERWORD_BASE_URL: secureUrl(), HTTPS_PROXY: wrong() }),
      () => `the proxy http://127.0.0.1:${proxy.port} answered 407`,
    ],
    [
      "cannot be reached by HTTP",
      () => ({ HTTP_PROXY: "http://agent:s3cr3t-word@127.0.0.1:9" }),
      () => "the proxy http://127.0.0.1:9 failed (ECONNREFUSED)",
    ],
    [
      "cannot be reached for a tunnel",
      () => ({ AFTERWORD_BASE_URL: secureUrl(), HTTPS_PROXY: "http://agent:s3cr3t-word@127.0.0.1:9" }),
      () => "the proxy http://127.0.0.1:9 failed (ECONNREFUSED)",
    ],
  ])("%s is named without its password by forwarder, doctor and client", async (_, variables, words) => {
    const given = { ...variables(), AFTERWORD_MAX_RETRIES: "0" };
    const calls = [
      [program, forwardOnce, 4],
      [program, ["doctor"], 4],
      [client, [], 1],
    ] as const;
    await Promise.all(
      calls.map(async ([file, args, exitCode]) => {
        const { code, all } = await run(file, args, given);
        expect(code).toBe(exitCode);
        expect(all).toContain(words());
        expect(all).not.toContain("s3cr3t-word");
      }),
    );
  });

  it("takes a connection and says nothing keeps no program from its end", async () => {
    const silent = createTcpServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const variables = {
      HTTPS_PROXY: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      AFTERWORD_MAX_RETRIES: "0",
    };
    const { code, all } = await run(program, ["doctor"], { AFTERWORD_BASE_URL: secureUrl(), ...variables });
    expect([code, all]).toEqual([4, expect.stringContaining(`the proxy ${variables.HTTPS_PROXY} failed`)]);
  }, 90_000);
});

import { connect, type Socket } from "node:net";
import { startServer, type RunningServer } from "@afterword/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { proofScale } from "./proof-scale.ts";

// A request whose body never arrives must keep no other request out.

const connections = 1500;
const addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];
const honestRequests = proofScale({ quick: 100, full: 5000 });

/** One byte of a body, and no key. */
const beginning = "POST /v1/sdk/bootstrap HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n{";

let server: RunningServer;
let sockets: Socket[];
beforeEach(async () => {
  server = await startServer({ admin: { port: 0 }, config: { rateLimits: false, projects: [project("p")] } });
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

/** Resolves when the text is on its way. */
async function send(localAddress: string, text: string): Promise<{ received: () => string }> {
  const { hostname, port } = new URL(server.url);
  let received = "";
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  sockets.push(socket);
  socket.on("data", (chunk) => (received += chunk.toString()));
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  await new Promise((resolve) => socket.write(text, resolve));
  return { received: () => received };
}

const begin = (localAddress: string) => send(localAddress, beginning);

describe("connections that begin a request and do not finish it", () => {
  it(
    `keep no honest request out, ${connections} of them from four addresses`,
    { timeout: 240_000 },
    async () => {
      const client = new ApiClient(server.url, keysOf("p"));
      const held = await Promise.all(
        Array.from({ length: connections }, (_, index) => begin(addresses[index % addresses.length]!)),
      );
      // Each address keeps a hundred, until their bodies have taken too long; the others are told so and closed.
      const refusals = () => held.map(({ received }) => received()).filter((text) => text !== "");
      await expect.poll(refusals, { timeout: 20_000 }).toHaveLength(connections - addresses.length * 100);
      for (const refusal of refusals()) {
        expect(refusal).toMatch(/^HTTP\/1\.1 429 /);
        expect(refusal).toMatch(/connection: close/i);
      }
      const statuses = { public: [] as number[], secret: [] as number[] };
      for (let index = 0; index < honestRequests; index++) {
        statuses.public.push((await client.bootstrap(`person-${index}`)).status);
        statuses.secret.push((await client.pending()).status);
      }
      const served = statuses.public.filter((status) => status === 200).length;
      expect(served).toBeGreaterThanOrEqual(honestRequests * 0.99);
      expect(statuses.secret.every((status) => status === 200)).toBe(true);
    },
  );

  it("do not block complete requests from their address", async () => {
    await Promise.all(Array.from({ length: 150 }, () => begin("127.0.0.1")));
    const body = JSON.stringify({ key: keysOf("p").publishableKey });
    const head = `POST /v1/sdk/bootstrap HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;
    const whole = await send("127.0.0.1", head + body);
    await expect.poll(whole.received).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("show in the metrics, and /readyz stays 200", async () => {
    await Promise.all(Array.from({ length: 150 }, () => begin("127.0.0.2")));
    const ready = await fetch(`${server.url}/readyz`);
    expect(ready.status).toBe(200);
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(metrics).toContain('afterword_requests_shed_total{reason="unfinished"} 50');
  });
});

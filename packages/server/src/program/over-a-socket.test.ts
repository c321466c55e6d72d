import { Agent, request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { survey } from "../commands/afterword-server.fixture.ts";
import { type ServerConfig } from "@afterword/reference-server/internal";
import { type RunningServer } from "./start-options.ts";
import { startServer } from "./start-server.ts";

const config = {
  projects: [
    {
      id: "p",
      name: "p",
      allowedOrigins: ["https://shop.example"],
      surveys: [{ ...survey("s"), status: "active" }],
    },
  ],
} as ServerConfig;
const minted = JSON.stringify({ respondentId: "ann", sessionId: "run" });

interface Answered {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

describe("a request over a socket", () => {
  let server: RunningServer;
  /** One connection: whatever a request leaves behind is in the way of the next. */
  let agent: Agent;
  beforeEach(async () => {
    server = await startServer({ config });
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  });
  afterEach(async () => {
    agent.destroy();
    await server.close();
  });

  const ask = (
    method: string,
    path: string,
    body = "",
    headers: Record<string, string> = {},
  ): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const asking = request(new URL(path, server.url), { agent, method, headers });
      asking.on("error", reject);
      asking.on("response", async (response) =>
        resolve({ status: response.statusCode, headers: response.headers, body: await text(response) }),
      );
      asking.end(body);
    });
  /** Sends bytes as they are; resolves with the statuses of so many replies, or of fewer when the connection closes. */
  const statusesOf = (sent: string, replies: number): Promise<number[]> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(server.url);
      let received = "";
      const socket = connect(Number(port), hostname, () => socket.write(sent));
      const statuses = () =>
        [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
        if (statuses().length === replies) socket.destroy();
      });
      socket.on("close", () => resolve(statuses()));
    });
  const keys = () => server.projects[0]!;
  const bootstrap = (headers = {}) =>
    ask("POST", `/v1/sdk/bootstrap?key=${keys().publishableKey}`, "", headers);

  it("gets a Content-Length on each reply, including refusals", async () => {
    const replies = [await bootstrap(), await ask("POST", "/v1/sdk/tokens", "{}")];
    expect(replies.map(({ status }) => status)).toEqual([200, 401]);
    for (const { headers, body } of replies) {
      expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
      expect(headers["transfer-encoding"]).toBeUndefined();
    }
  });

  it("has its unread body discarded after a refusal, and the next request is answered", async () => {
    const refused = await ask("POST", "/v1/sdk/tokens", "x".repeat(1024 * 1024));
    expect(refused.status).toBe(401);
    expect((await bootstrap()).status).toBe(200);
    const tooLarge = await ask(
      "POST",
      `/v1/sdk/bootstrap?key=${keys().publishableKey}`,
      "x".repeat(1024 * 1024),
    );
    expect(tooLarge.status).toBe(413);
    expect((await bootstrap()).status).toBe(200);
  });

  it.each([
    ["1.0", ""],
    ["1.1", "Host: user@host\r\n"],
    ["1.1", "Host: a b\r\n"],
    ["1.1", "Host: a\r\nHost: b\r\n"],
    ["1.1", "Host: a:99999\r\n"],
  ])("gets 400 for HTTP/%s with %j, and blocks no export", async (version, host) => {
    const secret = { "X-Service-Key": keys().secretKey! };
    const head = `HTTP/${version}\r\n${host}X-Service-Key: ${secret["X-Service-Key"]}\r\n`;
    const [bound] = Object.values(
      JSON.parse((await ask("POST", "/v1/sdk/tokens", minted, secret)).body).tokens as Record<string, string>,
    );
    const { publishableKey: key } = keys();
    const answer = JSON.stringify({ key, showToken: bound, surveyId: "s", rating: 5 });
    expect((await ask("POST", "/v1/sdk/responses", answer)).status).toBe(201);
    expect(await statusesOf(`GET /v1/privacy/export ${head}\r\n`, 1)).toEqual([400]);
    const half = `${head}Content-Length: 10\r\n\r\n{}`;
    expect(await statusesOf(`DELETE /v1/privacy/erase?respondentId=ann ${half}`, 1)).toEqual([400]);
    const exported = await ask("GET", "/v1/privacy/export", "", secret);
    expect(JSON.parse(exported.body)).toMatchObject({ count: 1 });
  });
});

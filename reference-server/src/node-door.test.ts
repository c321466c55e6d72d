import { Agent, request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startServer, type RunningServer, type ServerConfig } from "./index.ts";

const config: ServerConfig = {
  projects: [{ id: "p", name: "p", allowedOrigins: ["https://shop.example"], surveys: [] }],
};

interface Answered {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

describe("the table on Node's own socket", () => {
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
  const keys = () => server.projects[0]!;
  const bootstrap = (headers = {}) =>
    ask("POST", `/v1/sdk/bootstrap?key=${keys().publishableKey}`, "", headers);

  it("says how long each reply is, refusals too", async () => {
    const replies = [await bootstrap(), await ask("POST", "/v1/sdk/tokens", "{}")];
    expect(replies.map(({ status }) => status)).toEqual([200, 401]);
    for (const { headers, body } of replies) {
      expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
      expect(headers["transfer-encoding"]).toBeUndefined();
    }
  });

  it("has the header fields of every reply, and those that let a page read it", async () => {
    const { headers } = await bootstrap({ Origin: "https://shop.example" });
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "https://shop.example",
      "vary": "Origin",
    });
  });

  it("passes over a body that was refused unread, and answers the next request", async () => {
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

  it("streams what is streamed, and leaves the body out for HEAD", async () => {
    const secret = { "X-Service-Key": keys().secretKey! };
    const path = "/v1/privacy/export";
    const whole = await ask("GET", path, "", secret);
    expect(whole.status).toBe(200);
    expect(JSON.parse(whole.body)).toMatchObject({ count: 0, responses: [] });
    expect(await ask("HEAD", path, "", secret)).toMatchObject({ status: 200, body: "" });
    expect(await ask("HEAD", "/v1/sdk/pending-scores", "", secret)).toMatchObject({ status: 200, body: "" });
  });

  it("leaves what is not in the table to the app behind it", async () => {
    const options = await ask("OPTIONS", "/v1/sdk/bootstrap", "", { Origin: "https://shop.example" });
    expect(options.status).toBe(204);
    expect((await ask("PUT", "/v1/sdk/bootstrap")).status).toBe(405);
    expect((await ask("GET", "/nothing")).status).toBe(404);
    expect((await ask("GET", "/healthz")).status).toBe(200);
    expect((await ask("GET", "/openapi.yaml")).body).toContain("openapi: 3.1");
  });
});

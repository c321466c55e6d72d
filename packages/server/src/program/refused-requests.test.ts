import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RequestEvent } from "@afterword/reference-server/internal";
import { type ServerEvent } from "../audit/audit-trail.ts";
import { type RunningServer } from "./start-options.ts";
import { startServer } from "./start-server.ts";

const config = { projects: [{ id: "p", name: "p", allowedOrigins: [], surveys: [] }] };
const path = "/v1/sdk/tokens";
const post = (fields: string[], version = "1.1") =>
  `POST ${path} HTTP/${version}\r\n${fields.join("\r\n")}\r\n\r\n`;

describe("a request that cannot reach the application", () => {
  let server: RunningServer;
  let events: RequestEvent[];
  beforeEach(async () => {
    events = [];
    const emit = (event: ServerEvent) => void (event.kind === "request" && events.push({ ...event }));
    server = await startServer({ config, events: { emit }, admin: { port: 0 } });
  });
  afterEach(() => server.close());

  /** Sends a text, and a second one when something came back; resolves with everything when the connection closes. */
  const send = (text: string, then?: string): Promise<string> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(server.url);
      let received = "";
      const socket = connect(Number(port), hostname, () => socket.write(text, "latin1"));
      socket.on("data", (chunk) => {
        if (received === "" && then !== undefined) socket.write(then);
        received += chunk.toString("latin1");
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(received));
    });

  it.each([
    ["a malformed head", `GET\u0001 / HTTP/1.1\r\n\r\n`, 400],
    ["a header of 20 KiB", post(["Host: a", `X-A: ${"a".repeat(20 * 1024)}`]), 431],
    ["an expectation that is not known", post(["Host: a", "Expect: a-pony", "Content-Length: 0"]), 417],
    ["a Host that is none", post(["Host: a b<>", "Connection: close", "Content-Length: 0"]), 400],
    ["HTTP/2.0", post(["Host: a", "Content-Length: 0"], "2.0"), 505],
    ["codings before chunked", post(["Host: a", "Transfer-Encoding: x, chunked"]) + "0\r\n\r\n", 400],
    ["chunked twice", post(["Host: a", "Transfer-Encoding: chunked, chunked"]) + "0\r\n\r\n", 400],
    ["chunks in HTTP/1.0", post(["Host: a", "Transfer-Encoding: chunked"], "1.0") + "0\r\n\r\n", 400],
    ["HTTP/0.9", post(["Host: a", "Content-Length: 0"], "0.9"), 505],
  ])("is counted and logged with the reason: %s", async (_, text, status) => {
    expect(await send(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(events).toEqual([expect.objectContaining({ status, rejection: expect.stringMatching(/./) })]);
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(metrics).toContain(`afterword_requests_total{operation="other",status="${status}"} 1`);
  });

  it("is the last one on its connection: what follows one whose end is uncertain may be its body", async () => {
    const uncertain = `${post(["Host: a", "Transfer-Encoding: x, chunked"])}0\r\n\r\n`;
    const received = await send(uncertain + post(["Host: a", "Content-Length: 0"]));
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
    expect(events).toHaveLength(1);
  });

  it("is none that is chunked once, in any case of letters", async () => {
    const chunked = post(["Host: a", "Transfer-Encoding: Chunked", "Connection: close"]);
    expect(await send(`${chunked}2\r\n{}\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
  });

  describe("Expect: 100-continue", () => {
    const expecting = (length: number, key = "") =>
      post(["Host: a", `X-Service-Key: ${key}`, "Expect: 100-continue", `Content-Length: ${length}`]);

    it("gets only a refusal when the key is wrong", async () => {
      expect(await send(expecting(2))).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i);
    });

    it("gets only a refusal when the body would be too long", async () => {
      const { secretKey } = server.projects[0]!;
      expect(await send(expecting(1024 * 1024, secretKey))).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
    });

    it("gets 100 when key and length are right, and then the reply", async () => {
      const { secretKey } = server.projects[0]!;
      const body = JSON.stringify({ respondentId: "ann", sessionId: "run" });
      const received = await send(expecting(body.length, secretKey), body);
      expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    });
  });
});

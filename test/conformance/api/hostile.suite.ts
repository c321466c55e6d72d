import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

const kib = 1024;

/**
 * Sends bytes as they are and collects what comes back until the connection closes or says nothing more.
 * @param isAll whether the sender says that nothing more will come
 */
function raw(baseUrl: string, text: string, isAll = false): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => {
      if (isAll) socket.end(text, "latin1");
      else socket.write(text, "latin1");
    });
    socket.setTimeout(400, () => socket.destroy());
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      // Whatever follows a reply follows at once.
      socket.setTimeout(80);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(received));
  });
}

const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

const path = "/v1/sdk/bootstrap";
const post = (headers: string[], body = "") =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers.join("\r\n")}\r\n\r\n${body}`;

/** Of each kind of thing that Node's parser refuses one or two; the paths and methods are ours to refuse. */
const rawCases: [string, string][] = [
  ["both lengths and chunks", post(["Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n")],
  ["two lengths", post(["Content-Length: 4", "Content-Length: 5"], "{}  ")],
  ["a chunk extension with a line feed", post(["Transfer-Encoding: chunked"], "2;a\nb\r\n{}\r\n0\r\n\r\n")],
  ["NUL in a header", post(["X-A: a\u0000b", "Content-Length: 0"])],
  ["a header of 20 KiB", post([`X-A: ${"a".repeat(20 * kib)}`, "Content-Length: 0"])],
  [
    "3,000 headers",
    post([...Array.from({ length: 3000 }, (_, index) => `X-${index}: a`), "Content-Length: 0"]),
  ],
  ["HTTP/9.9", `POST ${path} HTTP/9.9\r\nHost: a\r\n\r\n`],
  ["TRACE", `TRACE ${path} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ["an asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["the absolute form of an unknown path", "GET http://other.example/x HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["dot segments", `POST /v1/x/../sdk/bootstrap HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`],
  ["a backslash", `POST /v1\\sdk\\bootstrap HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`],
  ["garbage", "\u0000\u0001\u0002\u0003\r\n\r\n"],
];

export function hostileSuite(suite: SuiteApi) {
  describe("hostile HTTP", () => {
    it.each(rawCases)("%s: never a 2xx, never a 5xx, and the server lives on", async (_, text) => {
      const statuses = statusesIn(await raw(suite.api.baseUrl, text));
      for (const status of statuses) {
        expect(status).toBeGreaterThanOrEqual(400);
        // 505 is the right answer to a version of HTTP that does not exist.
        expect(status === 505 ? 400 : status).toBeLessThan(500);
      }
      expect((await suite.client("plain").bootstrap()).status).toBe(200);
    });

    it("pipelined requests are answered in their order", async () => {
      const { publishableKey: key } = suite.client("plain").keys;
      const one = `POST ${path}?key=${key} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`;
      const two = "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n";
      expect(statusesIn(await raw(suite.api.baseUrl, one + two + one))).toEqual([200, 404, 200]);
    });

    it("a body that is cut short is 400 and stores nothing", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const body = JSON.stringify({ key: client.keys.publishableKey, showToken, surveyId: "nps", rating: 5 });
      const head = `POST /v1/sdk/responses HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length + 5}\r\n\r\n`;
      expect(statusesIn(await raw(suite.api.baseUrl, head + body, true))).toEqual([400]);
      expect((await client.export({ respondentId: userId })).json.count).toBe(0);
      expect((await client.submit({ showToken, surveyId: "nps", rating: 5 })).status).toBe(201);
    });
  });
}

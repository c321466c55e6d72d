import { describe, expect, it } from "vitest";
import { endpoints } from "@afterword/protocol";
import { endpoints as knownEndpoints } from "@afterword/conformance";
import { type SuiteApi } from "./suite-api.ts";

const kib = 1024;

export function httpSuite(suite: SuiteApi) {
  it("the kit knows every endpoint of the protocol", () => {
    const known = knownEndpoints.map(({ method, path }) => `${method} ${path}`);
    expect(known.toSorted()).toEqual(Object.keys(endpoints).toSorted());
  });

  it.each(["/openapi.yaml", "/healthz", "/readyz"])(
    "%s supports only GET: another method is 405 with Allow",
    async (path) => {
      for (const other of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const reply = await suite.client("plain").call(other, path);
        expect([other, reply.status, reply.headers.get("allow")]).toEqual([other, 405, "GET, HEAD"]);
      }
    },
  );

  describe("bodies", () => {
    it("a body without a declared length is counted as it comes", async () => {
      const chunk = new TextEncoder().encode(" ".repeat(64 * kib));
      const stream = new ReadableStream({
        start(controller) {
          for (let sent = 0; sent < 5; sent++) controller.enqueue(chunk);
          controller.close();
        },
      });
      const response = await fetch(`${suite.api.baseUrl}/v1/sdk/bootstrap`, {
        method: "POST",
        body: stream,
        headers: { "content-type": "application/json" },
        duplex: "half",
      } as RequestInit);
      expect(response.status).toBe(413);
    });
  });
}

import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

/** How lists of origins are read, which the configuration holds. */
export function accessSuite(suite: SuiteApi) {
  describe("origins", () => {
    const from = (projectId: string, origin?: string) =>
      suite.client(projectId).bootstrap(undefined, { headers: origin === undefined ? {} : { origin } });

    it.each([
      "https://app.example",
      "https://app.example:443",
      "https://a.wild.example",
      "https://a.b.wild.example",
      "http://localhost:5173",
    ])("%s is allowed and echoed, so that the page can read the reply", async (origin) => {
      const reply = await from("plain", origin);
      expect(reply.status).toBe(200);
      expect(reply.headers.get("access-control-allow-origin")).toBe(origin);
    });

    it.each([
      "https://wild.example",
      "https://evilwild.example",
      "https://a.wild.example.evil.example",
      "https://a.wild.example:8443",
      "http://a.wild.example",
      "http://localhost",
      "https://*.wild.example",
    ])("%s is refused with 403, and the page cannot read the reply", async (origin) => {
      const reply = await from("plain", origin);
      expect([reply.status, reply.json.code]).toEqual([403, "origin_not_allowed"]);
      expect(reply.headers.get("access-control-allow-origin")).toBeNull();
    });

    it("* allows every page but not an opaque one; null allows that alone", async () => {
      expect((await from("everyone", "https://any.example")).status).toBe(200);
      expect((await from("everyone", "null")).status).toBe(403);
      expect((await from("opaque", "null")).status).toBe(200);
      expect((await from("opaque", "https://any.example")).status).toBe(403);
    });
  });
}

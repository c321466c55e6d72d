import { beforeAll, describe, expect, it } from "vitest";
import { createApp, type Application } from "../app.ts";
import { openStore } from "../store/open-store.ts";

let app: Application["app"];

beforeAll(async () => {
  const store = await openStore(":memory:");
  const clock = { now: () => 1_700_000_000_000 };
  const opened = await createApp({ store, clock, config: { projects: [] }, masterKey: new Uint8Array(32) });
  app = opened.app;
  return () => store.close();
});

const policyOf = (reply: Response) => reply.headers.get("content-security-policy") ?? "";

describe("/docs", () => {
  it("is a page without other hosts and inline scripts", async () => {
    const reply = await app.request("/docs");
    expect(reply.status).toBe(200);
    const html = await reply.text();
    expect(html).not.toMatch(/https?:|\/\/|<script>|\son\w+=/);
    expect(policyOf(reply)).toContain("default-src 'none'");
    expect(policyOf(reply)).toContain("script-src 'self';");
    expect(policyOf(reply)).not.toContain("script-src 'self' 'unsafe");
  });

  it("works below a path prefix, with relative URLs only", async () => {
    const html = await (await app.request("/docs")).text();
    expect([...html.matchAll(/(?:src|href)="\//g)]).toEqual([]);
  });

  it("compresses its large files and answers 304 when they have not changed", async () => {
    const plain = await app.request("/docs/swagger-ui.js");
    const compressed = await app.request("/docs/swagger-ui.js", {
      headers: { "accept-encoding": "gzip, br" },
    });
    expect(compressed.headers.get("content-encoding")).toBe("gzip");
    const sizes = [plain, compressed].map(async (reply) => (await reply.arrayBuffer()).byteLength);
    const [whole, small] = await Promise.all(sizes);
    expect(small! * 3).toBeLessThan(whole!);
    const tag = plain.headers.get("etag")!;
    for (const known of [tag, `"of-another-version", ${tag}`, tag.replace("W/", "")]) {
      const headers = { "if-none-match": known };
      expect((await app.request("/docs/swagger-ui.js", { headers })).status, known).toBe(304);
    }
    const headers = { "if-none-match": '"of-another-version"' };
    expect((await app.request("/docs/swagger-ui.js", { headers })).status).toBe(200);
  });

  it("is revalidated each time, so that no page runs with files of an earlier version", async () => {
    for (const name of ["", "/start.js", "/swagger-ui.js", "/swagger-ui.css", "/icon.png"]) {
      const reply = await app.request(`/docs${name}`);
      expect(reply.headers.get("cache-control"), name).toBe("no-cache");
    }
  });

  it("serves no other files of the library", async () => {
    for (const name of ["index.html", "../package.json", "swagger-ui-bundle.js.map", ""]) {
      expect((await app.request(`/docs/${name}`)).status, name).toBe(404);
    }
  });
});

import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerFolder, type ServerProgram } from "./server-program.ts";

const linesOf = ({ log }: ServerProgram, event: string) =>
  log.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line["event"] === event);

describe("a server that is running", () => {
  const folder = new ServerFolder();
  let server: ServerProgram;
  beforeAll(async () => {
    await folder.createShop();
    server = await folder.serve();
  });
  afterAll(async () => {
    await server?.stop();
    folder[Symbol.dispose]();
  });

  it("logs that it has picked up what a command changed", async () => {
    const shop = { id: "shop", name: "Shop", allowedOrigins: ["https://shop.example"], surveys: [] };
    writeFileSync(folder.file("shop.json"), JSON.stringify({ projects: [shop] }));
    await folder.run("apply", "shop.json");
    await expect.poll(() => linesOf(server, "directory-change").length, { timeout: 20_000 }).toBe(1);
  });

  it("logs the origin of a page that it refuses", async () => {
    const { publishableKey: key } = server.projects[0]!;
    const headers = { "content-type": "application/json", "origin": "https://new.shop.example" };
    const body = JSON.stringify({ key });
    const reply = await fetch(`${server.url}/v1/sdk/bootstrap`, { method: "POST", headers, body });
    expect(reply.status).toBe(403);
    await expect
      .poll(() => linesOf(server, "request"))
      .toMatchObject([
        { status: 403, code: "origin_not_allowed", projectId: "shop", origin: "https://new.shop.example" },
      ]);
  });
});

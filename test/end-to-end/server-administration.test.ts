import { describe, expect, it } from "vitest";
import { ServerFolder, type ServerProgram } from "./server-program.ts";

const linesOf = ({ log }: ServerProgram, event: string) =>
  log.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line["event"] === event);

describe("a server that is running", () => {
  it("logs that another process added a key, revoked one, and changed the origins", async () => {
    using folder = new ServerFolder();
    await folder.run("project", "create", "shop", "--db", "shop.db");
    await using server = await folder.serve("--db", "shop.db");
    const created = await folder.run("key", "create", "shop", "secret", "--json", "--db", "shop.db");
    const { id } = JSON.parse(created.out) as { id: string };
    const changes = () => linesOf(server, "directory-change");
    await expect.poll(changes, { timeout: 20_000 }).toHaveLength(1);
    expect(changes()[0]).toMatchObject({ projectId: "shop", keysAdded: [id] });
    await folder.run("key", "revoke", id, "--yes", "--db", "shop.db");
    await folder.run("project", "update", "shop", "--add-origin", "https://shop.example", "--db", "shop.db");
    await expect
      .poll(() => Object.assign({}, ...changes()) as unknown, { timeout: 20_000 })
      .toMatchObject({ keysRemoved: [id], allowedOrigins: ["https://shop.example"] });
  });

  it("logs the origin of a page that it refuses", async () => {
    using folder = new ServerFolder();
    await folder.run("project", "create", "shop", "--db", "shop.db");
    await using server = await folder.serve("--db", "shop.db");
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

describe("a second server on one database file", () => {
  it("refuses to start and says why; once the first was killed, the next one starts", async () => {
    using folder = new ServerFolder();
    const first = await folder.serve("--db", "shop.db");
    const second = await folder.run("serve", "--db", "shop.db", "--port", "0");
    expect(second.code).toBe(3);
    expect(second.error).toContain("Another server already serves shop.db");
    first.kill();
    await first.ended;
    await using next = await folder.serve("--db", "shop.db");
    expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
  });
});

import { describe, expect, it } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";

const away = "postgres://me:hunter2@127.0.0.1:1/afterword";

describe("a command whose database cannot be used", () => {
  it.each(["pool_size=0", "connect_timeout=soon", "durability=off"])(
    "calls ?%s in its address a mistake in the flags, without the password",
    async (parameter) => {
      using server = new AfterwordServer();
      const { code, error } = await server.runWords(["project", "list", "--db", `${away}?${parameter}`]);
      expect(code).toBe(2);
      expect(error).toContain(`${parameter.split("=")[0]} in the database URL has to be`);
      expect(error).not.toContain("hunter2");
    },
  );

  it("names the address that does not answer, what to check, and that a retry may help", async () => {
    using server = new AfterwordServer();
    const { code, error } = await server.runWords(["project", "list", "--db", away]);
    expect(code).toBe(4);
    expect(error).toMatch(/at 127\.0\.0\.1:1 \(ECONNREFUSED\)\. Check that PostgreSQL runs there/);
    expect(error).not.toContain("hunter2");
  });

  it("leaves nothing open when the erasure log is the problem", async () => {
    using server = await AfterwordServer.withShop();
    await server.run(`backup ${server.file("copy.db")}`);
    const purge = await server.run(
      `project purge shop --yes --erasure-log ${server.file("nowhere/log.jsonl")}`,
    );
    expect([purge.code, purge.error]).toEqual([
      3,
      expect.stringContaining("Could not write to the erasure log"),
    ]);
    // It needs the database for itself.
    const restore = await server.run(`restore ${server.file("copy.db")} --without-erasure-log --yes`);
    expect([restore.code, restore.error]).toEqual([0, ""]);
  });
});

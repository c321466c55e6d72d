import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { UsageError } from "@afterword/reference-server/internal";
import { AfterwordServer } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

const interruption = AbortSignal.abort(new UsageError("Interrupted before it was done."));

async function withAnswers() {
  const server = new AfterwordServer();
  await using shop = await Shop.open({ database: server.database });
  await shop.answer({ respondentId: "ada", text: "words of ada" });
  return server;
}

describe("a command that is interrupted", () => {
  it("leaves the database unchanged and removes the copy while it restores a backup", async () => {
    using server = await withAnswers();
    const backup = server.file("copy.db");
    await server.run(`backup ${backup}`);
    const entry = { at: "2026-03-01T12:00:00.000Z", projectId: "shop", mode: "account", epoch: 9 };
    const log = server.file("erasures.jsonl", `${JSON.stringify(entry)}\n`);
    const files = readdirSync(server.folder).sort();
    const words = `restore ${backup} --erasure-log ${log} --yes`;
    expect((await server.run(words, { interruption })).code).toBe(3);
    expect(readdirSync(server.folder).sort()).toEqual(files);
    expect((await server.run("subject-report shop --respondent ada")).out).toContain("words of ada");
  });

  it("adds nothing more while it imports, and a second run adds the rest", async () => {
    using server = await withAnswers();
    const file = server.file("a.csv", "email,rating,at\nada@example.com,3,2025-03-01T12:00:00Z\n");
    const words = `responses import shop ${file} --survey satisfaction`;
    expect((await server.run(words, { interruption })).code).toBe(3);
    expect((await server.run(words)).out).toBe("Added 1 response to shop.");
  });

  it("ends with the audit line of what it did while it deletes or erases", async () => {
    using server = await withAnswers();
    const late = { interruption, now: Date.parse("2036-03-01T12:00:00.000Z") };
    const retention = await server.run("retention --clock-is-right --yes", late);
    expect(retention.code).toBe(3);
    expect(JSON.parse(retention.log.at(-1)!)).toMatchObject({
      what: "retention",
      details: { counts: { responsesDeleted: 0 } },
    });
    const purge = await server.run("project purge shop --yes", { interruption });
    expect(JSON.parse(purge.log.at(-1)!)).toMatchObject({
      what: "erase",
      details: { counts: { responsesDeleted: 1 } },
    });
  });
});

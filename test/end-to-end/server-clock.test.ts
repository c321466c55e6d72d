import { writeFileSync } from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { ServerFolder } from "./server-program.ts";

const yearInMs = 365 * 24 * 60 * 60_000;

/** Sets the clock of a process: what it loads first moves its `Date.now`. */
const clockAhead = (milliseconds: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()+${milliseconds}`,
});

interface Result {
  findings: { name: string; isGood: boolean; found: string }[];
}

/** A database with one answer of today, and a clean-up that has been. */
async function folderWithAnswer(database: string) {
  const folder = new ServerFolder();
  const run = async (...words: string[]) => {
    const { code, out, error } = await folder.run(...words, "--db", database);
    return { code, error, result: (out.startsWith("{") ? JSON.parse(out) : undefined) as Result };
  };
  await folder.createShop(database.startsWith("postgres:") ? database : folder.file(database));
  writeFileSync(folder.file("a.csv"), `email,rating,at\nbob@example.com,2,${new Date().toISOString()}\n`);
  expect((await run("responses", "import", "shop", "a.csv", "--survey", "s")).code).toBe(0);
  expect((await run("retention", "--yes")).code).toBe(0);
  return Object.assign(folder, { runHere: run });
}

describe("a machine whose clock is three years ahead", () => {
  it("deletes by the database's clock on PostgreSQL, and doctor tells how far its own is off", async () => {
    using folder = await folderWithAnswer(await freshPostgres(inject("postgresUrl")));
    folder.environment = clockAhead(3 * yearInMs);
    const { result: cleaned } = await folder.runHere("retention", "--yes", "--json");
    expect(cleaned).toEqual({ responsesDeleted: 0, dismissalsDeleted: 0, textsRemoved: 0, runsForgotten: 0 });
    const { result } = await folder.runHere("doctor", "--json");
    const skew = {
      name: "clock",
      isGood: false,
      found: `${(3 * yearInMs) / 1000} s ahead of the database's`,
    };
    expect(result.findings).toContainEqual(expect.objectContaining(skew));
  });
});

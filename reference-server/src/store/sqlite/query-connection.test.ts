import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Queries } from "../queries/query-runner.ts";
import { openConnection, type Connection } from "./connection.ts";
import { QueryConnection } from "./query-connection.ts";

let folder: string;
let connection: Connection;
let other: Connection;
let own: QueryConnection;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "afterword-queries-"));
  const path = join(folder, "a.db");
  connection = openConnection(path);
  other = openConnection(path, "none");
  own = new QueryConnection(connection);
});
afterEach(() => {
  connection.close();
  other.close();
  rmSync(folder, { recursive: true });
});

const agree = (queries: Queries, name: string) =>
  queries.insertInto("agreements").values({ name, value: "yes" }).execute();
const agreed = async (queries: Queries) =>
  (await queries.selectFrom("agreements").select("name").orderBy("name").execute()).map(({ name }) => name);
const agreedElsewhere = () => other.prepare("SELECT name FROM agreements ORDER BY name").pluck().all();

describe("a transaction of queries", () => {
  it("is not visible before its end, neither on this connection nor on another", async () => {
    let seenElsewhere: unknown;
    let seen: Promise<string[]> | undefined;
    await own.transaction(async (queries) => {
      await agree(queries, "a");
      seen = own.read(agreed);
      seenElsewhere = agreedElsewhere();
      await agree(queries, "b");
    });
    expect(seenElsewhere).toEqual([]);
    expect(await seen).toEqual(["a", "b"]);
    expect(agreedElsewhere()).toEqual(["a", "b"]);
  });

  it("leaves nothing when it fails, and the next one succeeds", async () => {
    const failing = own.transaction(async (queries) => {
      await agree(queries, "a");
      await agree(queries, "a");
    });
    await expect(failing).rejects.toThrow(/UNIQUE/);
    await own.transaction((queries) => agree(queries, "b"));
    expect(agreedElsewhere()).toEqual(["b"]);
  });

  it("waits for another writer, and reads are answered meanwhile", async () => {
    other.exec("BEGIN IMMEDIATE");
    const writing = own.transaction((queries) => agree(queries, "a"));
    expect(await own.read(agreed)).toEqual([]);
    other.exec("COMMIT");
    await writing;
    expect(agreedElsewhere()).toEqual(["a"]);
  });
});

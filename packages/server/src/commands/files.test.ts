import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";

const writers = [
  "backup FILE",
  "responses export shop FILE",
  "subject-report shop --respondent ada --out FILE",
];
const refused = { code: 3, log: [] };

describe.each(writers)("the file that `%s` writes", (command) => {
  const run = (server: AfterwordServer, path: string) => server.run(command.replace("FILE", `${path} --yes`));

  it.each(["", "-wal", "-shm", ".key", ".reserve", ".incoming"])(
    "is never the database's own (DATABASE%s), not even with --yes",
    async (end) => {
      using server = await AfterwordServer.withShop();
      const path = server.database + end;
      const before = existsSync(path) ? readFileSync(path) : undefined;
      const outcome = await run(server, path);
      expect(outcome).toMatchObject(refused);
      expect(outcome.error).toContain("belongs to the server's own database");
      expect(existsSync(path) ? readFileSync(path) : undefined).toEqual(before);
    },
  );

  it("is a regular file in an existing folder", async () => {
    using server = await AfterwordServer.withShop();
    const errors: string[] = [];
    for (const path of [server.folder, `${server.file("nowhere")}/a`]) {
      const outcome = await run(server, path);
      expect(outcome).toMatchObject(refused);
      errors.push(outcome.error);
    }
    expect(errors).toEqual([
      expect.stringContaining("is not a regular file"),
      expect.stringContaining("does not exist"),
    ]);
  });
});

it("`backup -` is refused: a database is no stream", async () => {
  using server = await AfterwordServer.withShop();
  const outcome = await server.run("backup -");
  expect(outcome).toMatchObject(refused);
  expect(outcome.error).toContain("standard output");
});

describe("the backup that `restore` brings back", () => {
  it.each(["", ".incoming"])(
    "is never the database's own (DATABASE%s), which stays unchanged",
    async (end) => {
      using server = await AfterwordServer.withShop();
      const path = server.database + end;
      if (end) writeFileSync(path, "precious");
      const before = readFileSync(path);
      const outcome = await server.run(`restore ${path} --without-erasure-log --yes`);
      expect(outcome).toMatchObject(refused);
      expect(outcome.error).toContain("belongs to the server's own database and is not a backup");
      expect(readFileSync(path)).toEqual(before);
    },
  );
});

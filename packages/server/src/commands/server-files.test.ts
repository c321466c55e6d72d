import { type StartOptions } from "../program/start-options.ts";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { startServer } from "../program/start-server.ts";
import { AfterwordServer } from "./afterword-server.fixture.ts";

const project = { id: "shop", name: "Shop", allowedOrigins: ["*"], surveys: [] };

/** A server that was started with both files once, and whose operator names neither. */
async function withFiles(options: StartOptions = {}) {
  const server = new AfterwordServer();
  mkdirSync(server.file("logs"));
  const files = {
    erasureLog: server.file("logs/erasures.jsonl"),
    auditFile: server.file("logs/audit.jsonl"),
  };
  const start = (more: StartOptions = {}) =>
    startServer({
      config: { projects: [project] },
      database: server.database,
      ...files,
      ...options,
      ...more,
    });
  await (await start()).close();
  return { server, ...files, start, [Symbol.dispose]: () => server[Symbol.dispose]() };
}

const writers = [
  "backup FILE --yes",
  "responses export shop FILE --yes",
  "responses export shop FILE --yes --format csv",
  "subject-report shop --respondent ada --yes --out FILE",
  "results --project shop --html FILE",
];

const ways: [string, (path: string) => string][] = [
  ["its path", (path) => path],
  ["a relative path", (path) => relative(process.cwd(), path)],
  ["a roundabout path", (path) => join(dirname(path), "../logs/./") + path.slice(dirname(path).length)],
  [
    "a linked folder",
    (path) => {
      const link = join(dirname(path), "../linked");
      if (!existsSync(link)) symlinkSync(dirname(path), link);
      return link + path.slice(dirname(path).length);
    },
  ],
  [
    "a hard link",
    (path) => {
      linkSync(path, `${path}.hard`);
      return `${path}.hard`;
    },
  ],
  [
    "a symbolic link",
    (path) => {
      symlinkSync(path, `${path}.soft`);
      return `${path}.soft`;
    },
  ],
];

/** Each command by a path, and one by each way to it: all ask the same question before they write. */
const attempts = [
  ...writers.map((command) => [command, ...ways[0]!] as const),
  ...ways.slice(1).map((way) => [writers[1]!, ...way] as const),
];

describe("a command that writes a file", () => {
  it.each(attempts)(
    "replaces neither the erasure log nor the audit file of a server, which no flag names: `%s`, by %s",
    async (command, _, pathOf) => {
      using given = await withFiles();
      const { server, erasureLog, auditFile } = given;
      for (const [file, text] of [
        [erasureLog, ""],
        [auditFile, readFileSync(auditFile, "utf8")],
      ] as const) {
        const outcome = await server.run(command.replace("FILE", pathOf(file)));
        expect(outcome).toMatchObject({ code: 3, log: [] });
        expect(outcome.error).toMatch(/erasure log or audit file|is not a regular file/);
        expect(readFileSync(file, "utf8")).toBe(text);
      }
      expect(readdirSync(server.file("logs")).filter((name) => /part|unfinished/.test(name))).toEqual([]);
    },
  );

  it.each(writers)(
    "does not delete a log that has the name of its own unfinished output: `%s`",
    async (command) => {
      using server = new AfterwordServer();
      const name = command.startsWith("backup") ? "a.unfinished" : "a.part";
      const start = { database: server.database, config: { projects: [project] } };
      await (await startServer({ ...start, erasureLog: server.file(name) })).close();
      expect(await server.run(command.replace("FILE", server.file("a")))).toMatchObject({ code: 3 });
      expect(existsSync(server.file(name))).toBe(true);
    },
  );
});

describe("the logs of servers", () => {
  it("are kept from commands also when a later server was started with others, or with none", async () => {
    using given = await withFiles();
    const { server, erasureLog, auditFile, start } = given;
    await (await start({ erasureLog: server.file("later.jsonl"), auditFile: undefined })).close();
    await (await start({ erasureLog: undefined, auditFile: undefined })).close();
    for (const file of [erasureLog, auditFile, server.file("later.jsonl")])
      expect(await server.run(`backup ${file} --yes`)).toMatchObject({ code: 3 });
  });

  it("are kept from commands while they are away: a collector has renamed them", async () => {
    using given = await withFiles();
    const { server, erasureLog } = given;
    renameSync(erasureLog, `${erasureLog}.1`);
    expect(await server.run(`backup ${erasureLog}`)).toMatchObject({ code: 3 });
    expect(existsSync(erasureLog)).toBe(false);
  });

  it("are never the database that `restore` replaces", async () => {
    using given = await withFiles();
    const { server, erasureLog, auditFile } = given;
    await server.run(`backup ${server.file("copy.db")}`);
    for (const file of [erasureLog, auditFile]) {
      const before = readFileSync(file, "utf8");
      const words = `restore ${server.file("copy.db")} --yes --without-erasure-log --key-file ${server.database}.key`;
      const outcome = await server.runWords([...words.split(" "), "--db", file]);
      expect(outcome).toMatchObject({ code: 3, error: expect.stringContaining("erasure log or audit file") });
      expect(readFileSync(file, "utf8")).toBe(before);
    }
  });
});

describe("a log file", () => {
  it.each(["", "-wal", "-shm", "-journal", ".key", ".reserve", ".incoming"])(
    "is refused at DATABASE%s, which is the database's",
    async (end) => {
      using server = new AfterwordServer();
      const path = server.database + end;
      for (const kind of ["erasureLog", "auditFile"] as const) {
        const starting = startServer({ database: server.database, [kind]: path });
        await expect(starting).rejects.toThrow(`${path} belongs to the server's own database`);
      }
      const outcome = await server.run(`project create shop --audit-file ${path}`);
      expect(outcome).toMatchObject({ code: 3, error: expect.stringContaining("own database") });
      expect(readdirSync(server.folder)).toEqual([]);
    },
  );

  it("is refused for both logs at once, also by a link", async () => {
    using server = new AfterwordServer();
    const log = server.file("log.jsonl", "");
    symlinkSync(log, server.file("link.jsonl"));
    const both = { erasureLog: log, auditFile: server.file("link.jsonl") };
    await expect(startServer({ database: server.database, ...both })).rejects.toThrow("choose two files");
    const words = `project create shop --audit-file ${both.auditFile} --erasure-log ${log}`;
    expect((await server.run(words.replace("create", "purge"))).code).toBe(3);
    expect(readFileSync(log, "utf8")).toBe("");
  });

  it("gets no lines of the other kind: no flag makes the erasure log of a server its audit file", async () => {
    using given = await withFiles();
    const { server, erasureLog, auditFile, start } = given;
    const outcome = await server.run(`key create shop secret --audit-file ${erasureLog}`);
    expect(outcome).toMatchObject({ code: 3, error: expect.stringContaining("is the erasure log") });
    expect(readFileSync(erasureLog, "utf8")).toBe("");
    const swapped = { erasureLog: auditFile, auditFile: erasureLog };
    await expect(start(swapped)).rejects.toThrow("choose another file");
    expect(readFileSync(erasureLog, "utf8")).toBe("");
  });

  it("gets no line of a restore that names another log of the server as its audit file", async () => {
    using given = await withFiles();
    const { server, erasureLog } = given;
    await server.run(`backup ${server.file("copy.db")}`);
    for (const log of ["--without-erasure-log", `--erasure-log ${erasureLog}`]) {
      const words = `restore ${server.file("copy.db")} --yes ${log} --audit-file ${erasureLog}`;
      expect(await server.run(words)).toMatchObject({ code: 3 });
    }
    expect(readFileSync(erasureLog, "utf8")).toBe("");
  });
});

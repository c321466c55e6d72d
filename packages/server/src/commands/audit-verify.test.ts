import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

/** Audit lines of a server, with three exports, and of two commands beside it. */
async function audited(server: AfterwordServer) {
  const file = server.file("audit.jsonl");
  await server.run(`project create other --audit-file ${file}`);
  {
    await using shop = await Shop.open({ database: server.database, auditFile: file });
    for (let count = 0; count < 3; count++) await shop.export();
    await server.run(`key create other secret --audit-file ${file}`);
  }
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const verify = async (...texts: string[][]) => {
    const files = texts.map((text, index) => server.file(`part-${index}.jsonl`, `${text.join("\n")}\n`));
    return server.run(`audit verify ${files.join(" ")} --json`);
  };
  return {
    file,
    lines,
    verify,
    chainOf: (line: string) => JSON.parse(line).chain as { id: string; sequence: number },
  };
}

/** The lines of the server: the longest chain. */
function serverLines({ lines, chainOf }: Awaited<ReturnType<typeof audited>>) {
  const byChain = Map.groupBy(lines.keys(), (index) => chainOf(lines[index]!).id);
  return [...byChain.values()].toSorted((one, other) => other.length - one.length)[0]!;
}

describe("audit verify", () => {
  it("finds nothing in the lines of a server and of commands beside it, across rotated files", async () => {
    using server = new AfterwordServer();
    const { lines, verify } = await audited(server);
    const { code, json } = await verify(lines.slice(0, 4), lines.slice(4));
    expect(code).toBe(0);
    expect(json()).toMatchObject({ isGood: true, lines: lines.length, faults: [] });
    expect(json()["chains"]).toHaveLength(3);
  });

  it.each([
    [
      "was changed",
      (all: string[], [, second]: number[]) =>
        all.with(second!, all[second!]!.replace('"who":"', '"who":"x')),
    ],
    ["whose earlier lines are in no file", (all: string[], [first]: number[]) => all.toSpliced(first!, 1)],
    ["lines were removed", (all: string[], [, second]: number[]) => all.toSpliced(second!, 1)],
    [
      "was moved",
      (all: string[], [, second, third]: number[]) =>
        all.with(second!, all[third!]!).with(third!, all[second!]!),
    ],
    ["is there twice", (all: string[], [, second]: number[]) => all.toSpliced(second!, 0, all[second!]!)],
    [
      "is not chained",
      (all: string[], [first]: number[]) =>
        all.with(first!, JSON.stringify({ ...JSON.parse(all[first!]!), chain: undefined })),
    ],
  ])("says of a line that it %s", async (fault, change) => {
    using server = new AfterwordServer();
    const given = await audited(server);
    const { code, json } = await given.verify(change(given.lines, serverLines(given)));
    expect(code).toBe(5);
    expect(json()).toMatchObject({ isGood: false });
    expect(JSON.stringify(json()["faults"])).toContain(fault);
  });

  it("finds text that no line break ends behind the last line, and the bytes of another encoding", async () => {
    using server = new AfterwordServer();
    const { file, lines } = await audited(server);
    const good = `${lines.join("\n")}\n`;
    expect((await server.run(`audit verify ${server.file("one.jsonl", good)}`)).code).toBe(0);
    const behind = await server.run(`audit verify ${server.file("one.jsonl", `${good}{"who":"mallory"}`)}`);
    expect([behind.code, behind.out]).toEqual([
      5,
      expect.stringContaining(`one.jsonl:${lines.length + 1} is no`),
    ]);
    const bytes = Buffer.from(good);
    bytes[good.indexOf('"who":"') + 7] = 0xff;
    writeFileSync(file, bytes);
    expect((await server.run(`audit verify ${file}`)).code).toBe(5);
  });

  it("passes over the other lines of a log, but not over those that can be read as audit lines", async () => {
    using server = new AfterwordServer();
    await server.run("project create other");
    const { log: lines } = await server.run("key create other secret");
    const line = lines[0]!.trimEnd();
    const log = (...others: string[]) =>
      server.file("server.log", [...others, line, ...others, ""].join("\n"));
    const other = ['{"level":"info","event":"ready"}', "(node:1) Warning: a \u2028 line", "{}", "null"];
    const { code, out } = await server.run(`audit verify ${log(...other)} --earlier-deleted`);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("1 line of 1 process") });
    for (const forged of [
      '{"level":"info","event":"audit","who":"mallory","event":"ready"}',
      '{"level":"info","\\u0065vent" : "audit","event":"ready"}',
      `${line!.slice(0, -5)}`,
    ])
      expect((await server.run(`audit verify ${log(forged)} --earlier-deleted`)).code).toBe(5);
  });

  it("verifies lines whose texts hold line separators of Unicode", async () => {
    using server = new AfterwordServer();
    const file = server.file("audit.jsonl");
    const words = ["project", "create", "shop", "--name", "a\u2028b\u2029c", "--audit-file", file];
    await server.runWords([...words, "--db", server.database]);
    expect(readFileSync(file, "utf8")).toContain("\u2028");
    const { code, out } = await server.run(`audit verify ${file}`);
    expect({ code, out }).toMatchObject({ code: 0 });
  });

  it("names the first 1,000 faults of a file, and says how many others there are", async () => {
    using server = new AfterwordServer();
    const { lines } = await audited(server);
    const all = [...lines, ...Array<string>(1200).fill(lines.at(-1)!)].join("\n");
    const { code, out } = await server.run(`audit verify ${server.file("one.jsonl", all)}`);
    expect(code).toBe(5);
    expect(out.match(/is there twice/g)).toHaveLength(1000);
    expect(out).toContain("... and 200 other faults");
  });

  it("names the last line of each chain, which a metric shows too, so that a cut end is noticed", async () => {
    using server = new AfterwordServer();
    const file = server.file("audit.jsonl");
    await using shop = await Shop.open({ database: server.database, auditFile: file, admin: { port: 0 } });
    for (let count = 0; count < 3; count++) await shop.export();
    const text = await (await fetch(`${shop.server.adminUrl}/metrics`)).text();
    const valueOf = (name: string) => new RegExp(`^${name}\\{chain="(\\w+)"\\} (\\d+)$`, "m").exec(text)!;
    const [, id, length] = valueOf("afterword_audit_lines");
    const [, , head] = valueOf("afterword_audit_head");
    const { json } = await server.run(`audit verify ${file} --json`);
    expect(json()["chains"]).toEqual([{ id, first: 1, last: Number(length), head: Number(head) }]);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${lines.slice(0, -1).join("\n")}\n`);
    const cut = await server.run(`audit verify ${file}`);
    expect([cut.code, cut.out]).toEqual([
      0,
      expect.stringContaining(`Chain ${id}: lines 1 to ${Number(length) - 1}, head `),
    ]);
    expect(cut.out).not.toContain(head);
  });

  it("accepts a chain that begins late if earlier files were deleted, and names its first line", async () => {
    using server = new AfterwordServer();
    const given = await audited(server);
    const [first, second] = serverLines(given);
    const { id } = given.chainOf(given.lines[first!]!);
    const verify = (lines: string[]) =>
      server.run(`audit verify ${server.file("late.jsonl", `${lines.join("\n")}\n`)} --earlier-deleted`);
    const late = await verify(given.lines.toSpliced(first!, 1));
    expect([late.code, late.out]).toEqual([0, expect.stringContaining(`Chain ${id}: lines 2 to `)]);
    const gap = await verify(given.lines.toSpliced(second!, 1));
    expect([gap.code, gap.out]).toEqual([5, expect.stringContaining("lines were removed")]);
  });

  it("says that a line needs another master key", async () => {
    using server = new AfterwordServer();
    const given = await audited(server);
    const keyFile = server.file("other.key", "ab".repeat(32));
    const other = await server.run(`audit verify ${given.file} --key-file ${keyFile}`);
    expect([other.code, other.out]).toEqual([5, expect.stringContaining("which was not given")]);
  });

  it.each([
    ["a file of another program", '{"level":"info","msg":"hello"}\n', "no audit line of this server"],
    ["a file that does not exist", undefined, "no such file"],
  ])("refuses %s in one line", async (_, text, message) => {
    using server = await AfterwordServer.withShop();
    const { code, error } = await server.run(`audit verify ${server.file("given.jsonl", text)}`);
    expect([code, error]).toEqual([3, expect.stringContaining(message)]);
    expect(error.trim().split("\n")).toHaveLength(1);
  });
});

describe("a line that is not as the server wrote it", () => {
  const server = new AfterwordServer();
  let lines: string[];
  beforeAll(async () => void ({ lines } = await audited(server)));
  afterAll(() => server[Symbol.dispose]());

  const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}${text.slice(1)}`;
  it.each<[string, (line: string) => string]>([
    [
      "a key twice, of which JSON.parse takes the last",
      (line) => line.replace('"who":', '"who":"mallory","who":'),
    ],
    ["a key twice, deep inside", (line) => line.replace('"sequence":', '"sequence":99,"sequence":')],
    [
      "a key twice, once spelled with an escape",
      (line) => line.replace('"who":', `"${escaped("who")}":"mallory","who":`),
    ],
    [
      "a doubled event, so that it is none of the audit",
      (line) => line.replace(/\}$/, ',"event":"request"}'),
    ],
    ["the same text in escapes", (line) => line.replace('"outcome"', `"${escaped("outcome")}"`)],
    ["a space behind it", (line) => `${line} `],
    ["a carriage return behind it", (line) => `${line}\r`],
    ["a byte order mark before it", (line) => `\ufeff${line}`],
    ["a NUL behind it", (line) => `${line}\0`],
    ["a space in it", (line) => line.replace('":', '" :')],
    ["a number in another spelling", (line) => line.replace(/"sequence":(\d+)/, '"sequence":$1.0')],
    ["a field of its chain of another type", (line) => line.replace(/"sequence":(\d+)/, '"sequence":"$1"')],
    [
      "the fields of its chain in another order",
      (line) => line.replace(/("id":"\w+"),("sequence":\d+)/, "$2,$1"),
    ],
    ["text behind it", (line) => `${line} and more`],
    ["another line of text behind it", (line) => `${line}\nand more`],
    ["an empty line before it", (line) => `\n${line}`],
    ["another line of text before it", (line) => `and more\n${line}`],
  ])("is named: it has %s", async (_, change) => {
    for (const index of [0, lines.length - 1]) {
      const changed = lines.with(index, change(lines[index]!)).join("\n");
      for (const end of ["", "\n"]) {
        const { code, out } = await server.run(`audit verify ${server.file("one.jsonl", changed + end)}`);
        expect({ index, code, out }).toMatchObject({
          code: 5,
          out: expect.stringMatching(/one\.jsonl:\d+ (was|is)/),
        });
      }
    }
  });
});

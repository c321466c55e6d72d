import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
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
    ["a file that does not exist", undefined, "does not exist"],
  ])("refuses %s in one line", async (_, text, message) => {
    using server = new AfterwordServer();
    await server.run("project create shop");
    const { code, error } = await server.run(`audit verify ${server.file("given.jsonl", text)}`);
    expect([code, error]).toEqual([3, expect.stringContaining(message)]);
    expect(error.trim().split("\n")).toHaveLength(1);
  });
});

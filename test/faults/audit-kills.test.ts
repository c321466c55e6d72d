import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFullProof } from "./proof-scale.ts";
import { runServerCommand, startServerCommand, type CommandSurroundings } from "./server-command.ts";

// A process that is killed between any two of its changes must not have acted without a trace (decision O80).

const root = mkdtempSync(join(tmpdir(), "afterword-audit-kills-"));
afterAll(() => rmSync(root, { recursive: true }));

const survey = (slug: string, question = "How was it?") => ({
  id: slug,
  slug,
  type: "csat",
  question,
  presentation: "corner",
  trigger: "manual",
  status: "active",
});
const csv = (...people: string[]) =>
  ["email,rating,at", ...people.map((person) => `${person}@example.com,3,2025-03-01T12:00:00Z`), ""].join(
    "\n",
  );
const config = (question: string) => ({
  rateLimits: false,
  projects: [{ id: "web", name: "Web", allowedOrigins: [], surveys: [survey("ease", question)] }],
});

interface Line {
  event: string;
  what: string;
  outcome: string;
  act: string;
}

/** Has the first config file applied. */
async function serveOnce(folder: string): Promise<void> {
  const words = "serve --config first.json --db a.db --json --port 0";
  const { child, ended } = await startServerCommand(words.split(" "), { folder });
  await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0 });
}

/** A folder with a database in which each command has something to do, and the keys that they name. */
async function original(): Promise<{ folder: string; keyId: string; secretKey: string }> {
  const folder = join(root, "original");
  cpSync(mkdtempSync(join(root, "empty-")), folder, { recursive: true });
  const file = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const shop = (...surveys: object[]) => ({ id: "shop", name: "Shop", allowedOrigins: [], surveys });
  const more = [survey("visit", "How was your visit?"), survey("stay")];
  file("surveys.json", JSON.stringify({ projects: [shop(survey("visit"))] }));
  file("more-surveys.json", JSON.stringify({ projects: [shop(...more)] }));
  file("answers.csv", csv("ada", "bob"));
  file("more.csv", csv("cyd", "dan"));
  file("first.json", JSON.stringify(config("How easy was it?")));
  file("second.json", JSON.stringify(config("Was it easy?")));
  const run = async (words: string) => {
    const { code, out, error } = await runServerCommand([...words.split(" "), "--db", "a.db"], { folder });
    expect([code, words, error]).toEqual([0, words, expect.anything()]);
    return out;
  };
  await run("project create shop");
  appendFileSync(join(folder, "a.db.key"), "f".repeat(64));
  await run("apply surveys.json");
  await run("responses import shop answers.csv --survey visit");
  await run("backup backup.db");
  const { id: keyId, key: secretKey } = JSON.parse(await run("key create shop secret --json")) as {
    id: string;
    key: string;
  };
  await serveOnce(folder);
  return { folder, keyId, secretKey };
}

/** Files of a database, of its restore, and of the audit. */
const passing = /^a\.db(?:-|\.reserve|\.incoming|\.serving)|^audit/;

/** Everything that acts change: each row of each table, and each file beside the database. */
function stateOf(folder: string): Record<string, unknown> {
  const connection = new Database(join(folder, "a.db"));
  try {
    const names = connection
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all();
    const tables = names.map((name) => [name, connection.prepare(`SELECT * FROM "${name}"`).all()]);
    const files = readdirSync(folder)
      .filter((name) => name !== "a.db" && !passing.test(name))
      .map((name) => [name, readFileSync(join(folder, name)).toString("base64")]);
    return Object.fromEntries([...tables, ...files]) as Record<string, unknown>;
  } finally {
    connection.close();
  }
}

const linesIn = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ event }) => event === "audit");

const auditOf = (folder: string) => {
  const path = join(folder, "audit.jsonl");
  return existsSync(path) ? linesIn(readFileSync(path, "utf8")) : [];
};

/** What a killed process has left: lines of the audit, and the tables and files that it has changed. */
interface Kill {
  outcomes: string[];
  changed: string[];
}

/** Starts the server and has a person erased. @returns whether it has told so before its end */
async function serveAndErase(
  words: readonly string[],
  surroundings: CommandSurroundings,
  secretKey: string,
): Promise<boolean> {
  const { child, ended } = await startServerCommand(words, surroundings);
  const first = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  if (!Array.isArray(first)) return false;
  const { url } = JSON.parse(first[0] as string) as { url: string };
  const headers = { authorization: `Bearer ${secretKey}` };
  const reply = await fetch(`${url}/v1/privacy/erase?email=ada@example.com`, {
    method: "DELETE",
    headers,
  }).catch(() => undefined);
  expect(reply?.status ?? 200).toBe(200);
  child.kill("SIGTERM");
  const { signal } = await ended;
  return reply !== undefined && signal === null;
}

let copies = 0;

/** Kills a process one change later each time, until it gets through; tells what each left. */
async function killAtEachChange(
  folder: string,
  run: (surroundings: CommandSurroundings) => Promise<{ signal: string | null; lines: Line[] }>,
) {
  const before = stateOf(folder);
  const kills: Kill[] = [];
  for (let change = 1; ; change += 1) {
    const copy = join(root, `copy-${++copies}`);
    cpSync(folder, copy, { recursive: true });
    const { signal, lines } = await run({ folder: copy, killAfter: change });
    const outcomes = lines.map(({ what, outcome }) => `${what} ${outcome}`);
    expect(new Set(lines.map(({ what, act }) => what + act)).size).toBe(
      new Set(lines.map(({ what }) => what)).size,
    );
    if (signal === null) return { kills, outcomes };
    const after = stateOf(copy);
    const changed = Object.keys({ ...before, ...after }).filter(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
    );
    kills.push({ outcomes, changed });
    rmSync(copy, { recursive: true });
  }
}

const acts: [words: string, what: string][] = [
  ["key create shop secret", "key-create"],
  ["restore backup.db --without-erasure-log --yes", "restore"],
  ["project purge shop --yes", "erase"],
  ["backup copy.db", "backup"],
  ["project create store", "project-create"],
  ["key revoke KEY --yes", "key-revoke"],
  ["key rotate-master", "master-key-rotate"],
  ["apply more-surveys.json", "config"],
  ["responses import shop more.csv --survey visit", "import"],
  ["retention --response-retention-days 1 --clock-is-right --yes", "retention"],
];
/** All acts are traced by the same code: the full proof alone kills each of them. */
const cases = isFullProof
  ? ["file", "stream"].flatMap((place) => acts.map((act) => [...act, place] as const))
  : [[...acts[0]!, "file"] as const];

/** Whatever was changed has a line, and there were kills before the act, and between act and line. */
function expectTraces(kills: readonly Kill[]): void {
  const untraced = kills.filter(({ changed, outcomes }) => changed.length > 0 && outcomes.length === 0);
  expect(untraced).toEqual([]);
  expect(kills.some(({ changed }) => changed.length === 0)).toBe(true);
  expect(kills.some(({ changed, outcomes }) => changed.length > 0 && outcomes.length % 2 === 1)).toBe(true);
}

describe("a process that is killed after any change has not acted without a trace", () => {
  let from: Awaited<ReturnType<typeof original>>;
  beforeAll(async () => (from = await original()), 60_000);

  const patient = { timeout: 300_000 };
  it.each(cases)("`%s`, for its line %s, with the audit in a %s", patient, async (template, what, place) => {
    const words = [...template.replace("KEY", from.keyId).split(" "), "--db", "a.db"];
    if (place === "file") words.push("--audit-file", "audit.jsonl");
    const { kills, outcomes } = await killAtEachChange(from.folder, async (surroundings) => {
      const { error, code, signal } = await runServerCommand(words, surroundings);
      expect([code, signal]).toContainEqual(code === null ? "SIGKILL" : 0);
      return { signal, lines: place === "file" ? auditOf(surroundings.folder!) : linesIn(error) };
    });
    expect(outcomes).toEqual([`${what} started`, `${what} done`]);
    expectTraces(kills);
  });

  it.each(isFullProof ? ["serve"] : [])("`%s`, which applies its config and erases", patient, async () => {
    const words = "serve --config second.json --db a.db --json --port 0 --audit-file audit.jsonl".split(" ");
    const { kills, outcomes } = await killAtEachChange(from.folder, async (surroundings) => {
      const isErased = await serveAndErase(words, surroundings, from.secretKey);
      return { signal: isErased ? null : "SIGKILL", lines: auditOf(surroundings.folder!) };
    });
    expect(outcomes).toEqual(["config started", "config done", "erase started", "erase done"]);
    expectTraces(kills);
    const erased = kills.filter(({ changed }) => changed.includes("responses"));
    expect(erased.filter(({ outcomes }) => !outcomes.includes("erase started"))).toEqual([]);
  });
});

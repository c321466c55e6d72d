import { writeFileSync } from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project, survey } from "../conformance/api/projects.ts";
import { asOperator, freshPostgres } from "../conformance/postgres-database.ts";
import { ServerFolder, type ServerProgram } from "../end-to-end/server-program.ts";

const surveys = [survey("nps"), survey("other")];
const config = { rateLimits: false, projects: [project("shop", { surveys }), project("left", { surveys })] };
const shop = ({ url }: ServerProgram) => new ApiClient(url, keysOf("shop"));
const left = ({ url }: ServerProgram) => new ApiClient(url, keysOf("left"));

async function peopleIn(client: ApiClient): Promise<string[]> {
  const { responses } = (await client.export()).json as { responses: { respondentId: string }[] };
  return responses.map(({ respondentId }) => respondentId).sort();
}

/** A backup of a database as its operator would make it, and how to bring it back. */
interface Backup {
  bringBack(): Promise<void>;
}

const nameOf = (database: string) => new URL(database).pathname.slice(1);

/** PostgreSQL's own copy of a database, file by file. */
async function copyInside(server: string, database: string): Promise<Backup> {
  const name = nameOf(database);
  const copy = (from: string, to: string) =>
    asOperator(server, (client) => client.query(`CREATE DATABASE ${to} TEMPLATE ${from}`));
  await copy(name, `${name}_backup`);
  return {
    async bringBack() {
      await asOperator(server, (client) => client.query(`DROP DATABASE ${name}`));
      await copy(`${name}_backup`, name);
    },
  };
}

/**
 * Six people answer; a backup; then one is erased by id, all of one survey, and one project. The disk is lost, and the
 * backup comes back.
 */
async function loseTheDisk(
  folder: ServerFolder,
  database: string,
  backUp: () => Promise<Backup>,
): Promise<string[]> {
  writeFileSync(folder.file("config.json"), JSON.stringify(config));
  const flags = ["--config", "config.json", "--db", database, "--key-file", "master.key"];
  writeFileSync(folder.file("master.key"), "5a".repeat(32));
  const serve = () => folder.serve(...flags, "--erasure-log", "erasures.jsonl");
  const first = await serve();
  for (const person of ["ada", "bob", "cleo"]) await shop(first).answer("nps", person, { text: person });
  await shop(first).answer("other", "dan");
  await left(first).answer("nps", "eve");
  await first.stop();
  const backup = await backUp();
  const second = await serve();
  expect((await shop(second).erase({ respondentId: "bob" })).json.responsesDeleted).toBe(1);
  expect((await shop(second).erase({ surveySlug: "other-slug" })).json.responsesDeleted).toBe(1);
  expect((await left(second).erase({ account: "true" })).json.responsesDeleted).toBe(1);
  await second.stop();
  await backup.bringBack();
  return flags;
}

/** Who is in the database at the end. */
async function restoreStory(folder: ServerFolder, database: string, backUp: () => Promise<Backup>) {
  const flags = await loseTheDisk(folder, database, backUp);
  const restore = `restore --db ${database} --key-file master.key --json`.split(" ");
  const refused = await folder.run(...restore);
  expect(refused).toMatchObject({ code: 3, out: "" });
  expect(refused.error).toContain("pass --erasure-log");
  const restored = await folder.run(...restore, "--erasure-log", "erasures.jsonl");
  expect(restored).toMatchObject({ code: 0 });
  expect(JSON.parse(restored.out)).toMatchObject({ erasures: 3, skipped: 0, responsesDeleted: 3 });
  const again = await folder.run(...restore, "--erasure-log", "erasures.jsonl");
  expect(JSON.parse(again.out)).toMatchObject({ erasures: 3, skipped: 0, responsesDeleted: 0 });
  await using third = await folder.serve(...flags);
  expect(await peopleIn(shop(third))).toEqual(["ada", "cleo"]);
  expect(await peopleIn(left(third))).toEqual([]);
  // As after every erasure: he is not asked again. Others go on.
  expect((await shop(third).bootstrap("bob")).json.suppression).toEqual(["nps"]);
  await shop(third).answer("nps", "fay");
  // Awaited here: the server ends with this function.
  return await peopleIn(shop(third));
}

describe("a backup of PostgreSQL that is brought back", () => {
  it("has none of those who were erased since, once `restore` has applied the erasure log", async () => {
    using folder = new ServerFolder();
    const server = inject("postgresUrl");
    const database = await freshPostgres(server);
    const people = await restoreStory(folder, database, () => copyInside(server, database));
    expect(people).toEqual(["ada", "cleo", "fay"]);
  });
});

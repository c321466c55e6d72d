import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@afterword/server";
import { afterAll, describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-erased-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Files of the database that hold a text, its write-ahead log among them. */
const filesWith = (text: string) =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));

describe("erasing on SQLite", () => {
  it.each([
    ["a respondent", (client: ApiClient, person: string) => client.erase({ respondentId: person })],
    ["a survey", (client: ApiClient) => client.erase({ surveySlug: "p-nps-slug" })],
    ["the account", (client: ApiClient) => client.erase({ account: "true" })],
  ])("%s takes the text and the name off the disk before it is answered", async (what, erase) => {
    const config = { rateLimits: false as const, projects: [project("p")] };
    await using server = await startServer({ config, database: join(folder, "afterword.db") });
    const client = new ApiClient(server.url, keysOf("p"));
    const person = `canary-person-${what.replaceAll(" ", "-")}`;
    const text = `canary-text-${what} `.repeat(400);
    await client.answer("p-nps", person, { text });
    expect(filesWith(`canary-text-${what}`)).not.toEqual([]);
    const erased = await erase(client, person);
    expect(erased.status).toBe(200);
    // Nothing is said of freed pages, which were overwritten.
    expect(erased.json.note).toMatch(/^((?!freed).)*backups keep the erased bytes((?!freed).)*$/i);
    expect(filesWith(`canary-text-${what}`)).toEqual([]);
    expect(filesWith(person)).toEqual([]);
  });
});

import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@afterword/server";
import { afterAll, describe, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { isFullProof, proofScale } from "./proof-scale.ts";
import { rotate } from "./rotate-program.ts";

const config = { rateLimits: false as const, projects: [project("p")] };
const folder = mkdtempSync(join(tmpdir(), "afterword-rotation-"));
const surveyId = "p-nps";
afterAll(() => rmSync(folder, { recursive: true }));

/** Ann answers; Bob gets a token. */
async function begin(database: string): Promise<string> {
  await using server = await startServer({ config, database });
  const client = new ApiClient(server.url, keysOf("p"));
  const showToken = await client.unboundToken(surveyId, "ann");
  expect((await client.submit({ showToken, surveyId, rating: 3 })).status).toBe(201);
  return client.unboundToken(surveyId, "bob");
}

/** Bob's token is good, or was used before, and Ann is not asked again. */
async function expectKept(database: string, showToken: string, status: 201 | 409): Promise<void> {
  await using server = await startServer({ database });
  const client = new ApiClient(server.url, keysOf("p"));
  expect((await client.submit({ showToken, surveyId, rating: 4 })).status).toBe(status);
  const { json } = await client.bootstrap("ann");
  expect(Object.keys(json.showTokens)).not.toContain(surveyId);
}

/**
 * Kills the rotation after some changes more each time, and one by one before it gets through.
 *
 * @returns how the rotation after each kill ended
 */
async function killAtEachChange(databaseWith: () => Promise<{ database: string; showToken: string }>) {
  const codes: (number | null)[] = [];
  for (let change = 1, step = proofScale({ quick: 5, full: 1 }); ; change += step) {
    const { database, showToken } = await databaseWith();
    const { code, signal } = await rotate(database, { killAfter: change });
    expect([code, signal]).toContainEqual(code === null ? "SIGKILL" : 0);
    if (signal === null) {
      if (step === 1) return codes;
      change -= step;
      step = 1;
      continue;
    }
    await expectKept(database, showToken, 201);
    const again = await rotate(database);
    // It had committed, or the second one does all of it.
    expect(again).toMatchObject({ code: again.error.includes("A rotation is under way") ? 3 : 0 });
    codes.push(again.code);
    await expectKept(database, showToken, 409);
  }
}

describe("a rotation of the master key that is killed after any change", () => {
  it("on SQLite loses no token and no suppression, and can be run again", { timeout: 600_000 }, async () => {
    const original = join(folder, "original");
    mkdirSync(original);
    const showToken = await begin(join(original, "a.db"));
    appendFileSync(join(original, "a.db.key"), "f".repeat(64));
    let copies = 0;
    const copy = async () => {
      const to = join(folder, `copy-${++copies}`);
      cpSync(original, to, { recursive: true });
      return { database: join(to, "a.db"), showToken };
    };
    expect(new Set(await killAtEachChange(copy))).toEqual(new Set([0, 3]));
  });

  // The stores share the steps of a rotation; each kill there costs two processes and three servers.
  it.each(isFullProof ? ["PostgreSQL"] : [])(
    "on %s, which keeps the key, it does the same",
    async () => {
      const original = await freshPostgres(inject("postgresUrl"));
      const showToken = await begin(original);
      const copy = async () => ({
        database: await freshPostgres(inject("postgresUrl"), original),
        showToken,
      });
      expect(new Set(await killAtEachChange(copy))).toEqual(new Set([0, 3]));
    },
    600_000,
  );
});

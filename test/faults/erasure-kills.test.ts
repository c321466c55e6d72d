import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf } from "../conformance/api/projects.ts";
import { NodeProcess } from "./node-process.ts";
import { proofScale } from "./proof-scale.ts";
import { sqliteNode } from "./sqlite-node.ts";

// Many answers are erased in a thread by a connection of its own, and the process may end in the middle of it.

const kills = proofScale({ quick: 3, full: 100 });
const rows = 20_000;
const order = sqliteNode("erasure-kills");

const fill = `
  WITH RECURSIVE numbers (number) AS (
    SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${rows}
  )
  INSERT INTO responses (
    id, project_id, survey_id, survey_version, respondent_id, rating, text, at, source, score_state, token_id
  )
  SELECT 'response ' || number, 'p', 'a', 1, 'person ' || number, 7, 'text of ' || number, 1, 'measured', 'unlinked',
    CAST(printf('%016d', number) AS BLOB)
  FROM numbers`;
const spend = `
  INSERT OR REPLACE INTO spent_tokens (project_id, token_id, kind, record_id, at)
  SELECT project_id, token_id, 'response', id, at FROM responses`;

/** What is left of the answers and of what the ledger says about them. */
function leftOver(): { integrity: unknown; answers: number; named: number } {
  const connection = new Database(order.database);
  try {
    const integrity = connection.pragma("integrity_check", { simple: true });
    const count = (sql: string) => connection.prepare<[], number>(sql).pluck().get()!;
    const answers = count("SELECT count(*) FROM responses");
    const named = count("SELECT count(*) FROM spent_tokens WHERE record_id IS NOT NULL");
    if (answers === 0) connection.transaction(() => [fill, spend].forEach((sql) => connection.exec(sql)))();
    return { integrity, answers, named };
  } finally {
    connection.close();
  }
}

/** Milliseconds until the erasure was answered. */
async function erase(url: string): Promise<number> {
  const startedAt = performance.now();
  const { status } = await new ApiClient(url, keysOf("p")).erase({ surveySlug: "a-slug" });
  expect(status).toBe(200);
  return performance.now() - startedAt;
}

describe("a server on SQLite that is killed while a thread erases", () => {
  it(`has all of it or nothing, over ${kills} kills`, { timeout: kills * 20_000 }, async () => {
    const first = await NodeProcess.startAsBuilt(order);
    leftOver();
    const took = await erase(first.url);
    await first.kill();
    expect(leftOver()).toEqual({ integrity: "ok", answers: 0, named: 0 });
    let interrupted = 0;
    for (let kill = 0; kill < kills; kill++) {
      const node = await NodeProcess.startAsBuilt(order);
      let isAnswered = false;
      const erasing = erase(node.url).then(
        () => (isAnswered = true),
        () => false,
      );
      await pause((took * (kill + 1)) / (kills + 1));
      await node.kill();
      await erasing;
      const { integrity, answers, named } = leftOver();
      expect(integrity).toBe("ok");
      expect(isAnswered ? [0] : [0, rows]).toContain(answers);
      expect(named).toBe(answers);
      if (!isAnswered) interrupted++;
    }
    expect(interrupted).toBeGreaterThan(0);
  });
});

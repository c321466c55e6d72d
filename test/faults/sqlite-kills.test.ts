import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf } from "../conformance/api/projects.ts";
import { NodeProcess } from "./node-process.ts";
import { proofScale } from "./proof-scale.ts";
import { sqliteNode } from "./sqlite-node.ts";

// A process that ends without a word, at any moment and under mixed writes, must not take back what it has answered.

const kills = proofScale({ quick: 6, full: 1000 });
const writers = 8;
const longestLifeInMs = 250;

/** What the service has said; everything in here must hold after every restart. */
interface Said {
  answered: Map<string, string>;
  dismissed: Set<string>;
  delivered: Set<string>;
  erased: Set<string>;
  /** Writes whose reply never came: they may have happened or not. */
  unknown: number;
  /** Replies that no client should get. */
  wrong: unknown[];
}

const order = sqliteNode("kills");
const { database } = order;

let people = 0;

/** Mixed writes until the server is gone; notes down each answer as it comes. */
async function write(client: ApiClient, said: Said): Promise<void> {
  for (;;) {
    const person = `person-${people++}`;
    const { tokens } = (await client.mint({ respondentId: person })).json;
    const answer = await client.submit({
      showToken: tokens.a,
      surveyId: "a",
      rating: 7,
      text: `text of ${person}`,
    });
    said.answered.set(answer.json.id, person);
    const dismissal = await client.dismiss({ showToken: tokens.b, surveyId: "b", userId: person });
    said.dismissed.add(dismissal.json.id);
    if (people % 3 === 0) {
      const { updated } = (await client.ack([{ id: answer.json.id, state: "delivered" }])).json;
      if (updated !== 1) said.wrong.push({ updated });
      said.delivered.add(answer.json.id);
    }
    if (people % 5 === 0) {
      // Once it is asked for, the rows may go; once it is answered, they are gone.
      said.answered.delete(answer.json.id);
      said.dismissed.delete(dismissal.json.id);
      said.delivered.delete(answer.json.id);
      const { status } = await client.erase({ respondentId: person });
      if (status !== 200) said.wrong.push({ status });
      said.erased.add(person);
    }
  }
}

function check(said: Said): void {
  const connection = new Database(database, { readonly: true });
  try {
    expect(connection.pragma("integrity_check", { simple: true })).toBe("ok");
    const states = new Map(
      connection.prepare<[], [string, string]>("SELECT id, score_state FROM responses").raw().all(),
    );
    const lost = [...said.answered.keys()].filter((id) => !states.has(id));
    const undelivered = [...said.delivered].filter((id) => states.get(id) !== "delivered");
    const dismissals = new Set(connection.prepare<[], string>("SELECT id FROM dismissals").pluck().all());
    const lostDismissals = [...said.dismissed].filter((id) => !dismissals.has(id));
    const people = new Set(
      connection
        .prepare<[], string>("SELECT respondent_id FROM responses UNION SELECT respondent_id FROM dismissals")
        .pluck()
        .all(),
    );
    const back = [...said.erased].filter((person) => people.has(person));
    expect({ lost, undelivered, lostDismissals, back }).toEqual({
      lost: [],
      undelivered: [],
      lostDismissals: [],
      back: [],
    });
    // Each spent token has its record, and each record its token: they are one commit.
    const orphans = connection.prepare<[], number>(
      "SELECT count(*) FROM responses WHERE token_id NOT IN (SELECT token_id FROM spent_tokens)",
    );
    expect(orphans.pluck().get()).toBe(0);
  } finally {
    connection.close();
  }
}

const hasEachKind = ({ answered, delivered, erased }: Said) =>
  answered.size > kills && delivered.size > 0 && erased.size > 0;

describe("a server on SQLite that is killed under mixed writes", () => {
  it(`keeps all it has answered, over ${kills} kills`, { timeout: kills * 10_000 }, async () => {
    const said: Said = {
      answered: new Map(),
      dismissed: new Set(),
      delivered: new Set(),
      erased: new Set(),
      unknown: 0,
      wrong: [],
    };
    for (let kill = 0; kill < kills; kill++) {
      const node = await NodeProcess.start(order);
      const client = new ApiClient(node.url, keysOf("p"));
      const writing = Array.from({ length: writers }, () => write(client, said).catch(() => said.unknown++));
      await pause(50 + ((kill * 97) % longestLifeInMs));
      // However slow the machine is, each kind of write has been answered before the last kill.
      if (kill === kills - 1) await vi.waitUntil(() => hasEachKind(said), { timeout: 60_000, interval: 5 });
      await node.kill();
      await Promise.all(writing);
      check(said);
    }
    expect(said.unknown).toBe(kills * writers);
    expect(said.wrong).toEqual([]);
  });
});

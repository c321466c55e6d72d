import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ServerFolder, survey, type ServerProgram } from "../end-to-end/server-program.ts";
import { isFullProof } from "./proof-scale.ts";

const key = `aw_pk_${"e".repeat(43)}`;
const secretKey = `aw_sk_${"e".repeat(43)}`;
const surveys = [{ ...survey, status: "active" }];
const project = { id: "shop", name: "Shop", allowedOrigins: ["*"], publishableKey: key, secretKey, surveys };
const config = { rateLimits: false, projects: [project] };

const people = Array.from({ length: 60 }, (_, index) => `person-${index}`);
const headers = { "content-type": "application/json", "x-service-key": secretKey };

async function answer({ url }: ServerProgram, respondentId: string) {
  const mint = JSON.stringify({ respondentId, sessionId: `run of ${respondentId}` });
  const minted = await fetch(`${url}/v1/sdk/tokens`, { method: "POST", headers, body: mint });
  const { tokens } = (await minted.json()) as { tokens: { s: string } };
  const body = JSON.stringify({
    key,
    showToken: tokens.s,
    surveyId: "s",
    rating: 4,
    text: `words of ${respondentId}`,
  });
  await fetch(`${url}/v1/sdk/responses`, { method: "POST", headers, body });
}

/** Erases with four requests at a time, until the server is killed after some acknowledgement; who was acknowledged. */
async function eraseUntilKilled(server: ServerProgram, killAfter: number): Promise<Set<string>> {
  const waiting = [...people];
  const erased = new Set<string>();
  const worker = async () => {
    for (let person = waiting.shift(); person !== undefined; person = waiting.shift()) {
      const path = `/v1/privacy/erase?respondentId=${person}`;
      const reply = await fetch(server.url + path, { method: "DELETE", headers }).catch(() => undefined);
      if (!reply) return;
      if (reply.status === 200) erased.add(person);
      if (erased.size === killAfter) server.kill();
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return erased;
}

async function peopleIn(server: ServerProgram): Promise<Set<string>> {
  const reply = await fetch(`${server.url}/v1/privacy/export`, { headers });
  const { responses } = (await reply.json()) as { responses: { respondentId: string }[] };
  return new Set(responses.map(({ respondentId }) => respondentId));
}

describe("a server that is killed while it erases", () => {
  it.each(isFullProof ? [1, 7, 20, 41] : [7])(
    "after %i acknowledged erasures: a backup from before has none of those people after a restore, and all others",
    async (killAfter) => {
      using folder = new ServerFolder();
      writeFileSync(folder.file("config.json"), JSON.stringify(config));
      const flags = "--config config.json --db a.db --erasure-log erasures.jsonl".split(" ");
      const first = await folder.serve(...flags);
      await Promise.all(people.map((person) => answer(first, person)));
      expect((await folder.run("backup", "copy.db", "--db", "a.db")).code).toBe(0);
      const erased = await eraseUntilKilled(first, killAfter);
      await first.ended;
      expect(erased.size).toBeGreaterThanOrEqual(killAfter);

      const restore = "restore copy.db --db a.db --erasure-log erasures.jsonl --yes --json";
      const restored = await folder.run(...restore.split(" "));
      expect(restored).toMatchObject({ code: 0 });
      const { erasures } = JSON.parse(restored.out) as { erasures: number };
      // The last line on stderr is whole, although the process ends right after it.
      expect(JSON.parse(restored.error.trim().split("\n").at(-1)!)).toMatchObject({
        event: "audit",
        details: { command: "restore", counts: { erasures } },
      });
      await using second = await folder.serve(...flags);
      const left = await peopleIn(second);
      expect([...erased].filter((person) => left.has(person))).toEqual([]);
      // At most the four in flight went without an acknowledgement.
      expect(erasures - erased.size).toBeLessThanOrEqual(4);
      expect(people.length - left.size).toBe(erasures);
    },
  );
});

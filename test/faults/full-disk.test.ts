import { describe, expect, it } from "vitest";
import { ApiClient, type Reply } from "@afterword/conformance";
import { keysOf, project, survey } from "../conformance/api/projects.ts";
import { proofScale } from "./proof-scale.ts";
import { canMountDisks, SmallDisk } from "./small-disk.ts";

const fills = proofScale({ quick: 2, full: 50 });
const config = {
  rateLimits: false as const,
  projects: [project("p", { surveys: [survey("a"), survey("b")] })],
};

/** Answers until three in a row are refused; who was told that it is stored, and whose tokens were not taken. */
async function answerUntilFull(client: ApiClient, prefix: string) {
  const stored: string[] = [];
  const refused: { person: string; showToken: string; reply: Reply }[] = [];
  for (let index = 0; refused.length < 3 && index < 1000; index++) {
    const person = `${prefix}-${index}`;
    const showToken = await client.boundToken("a", { respondentId: person });
    const reply = await client.submit({ showToken, surveyId: "a", rating: 3, text: "x".repeat(2000) });
    if (reply.status === 201) stored.push(person);
    else refused.push({ person, showToken, reply });
  }
  return { stored, refused };
}

/** Answers until the log has been moved into the database and begins anew: it has its full length, and grows no more. */
async function fillLog(disk: SmallDisk, answer: (person: string) => Promise<unknown>) {
  for (let index = 0, before = -1; index < 100; index++) {
    await Promise.all(Array.from({ length: 20 }, (_, at) => answer(`before-${index}-${at}`)));
    const { logSize } = await disk.order({ kind: "log-size" });
    if (logSize === before) return;
    before = logSize!;
  }
  throw new Error("Two thousand answers did not fill the log");
}

async function peopleIn(client: ApiClient): Promise<string[]> {
  const { responses } = (await client.export()).json as { responses: { respondentId: string }[] };
  return responses.map(({ respondentId }) => respondentId).sort();
}

describe.runIf(canMountDisks())("a server on SQLite whose disk is full", () => {
  it(
    `refuses what it cannot store with 503, loses nothing, and goes on when there is room, ${fills} times`,
    async () => {
      await using disk = new SmallDisk();
      let url = "";
      const start = async () => {
        url = (await disk.order({ kind: "start", config })).url!;
        return new ApiClient(url, keysOf("p"));
      };
      let client = await start();
      const people: string[] = [];
      for (let fill = 0; fill < fills; fill++) {
        const before = `before-${fill}`;
        const score = await client.answer("a", before);
        people.push(before);
        const [open, closed] = [
          await client.boundToken("b", { respondentId: `later-${fill}` }),
          await client.boundToken("b", { respondentId: `closes-${fill}` }),
        ];
        await disk.order({ kind: "fill" });

        const { stored, refused } = await answerUntilFull(client, `full-${fill}`);
        people.push(...stored);
        expect(refused.map(({ reply }) => [reply.status, reply.json.code])).toEqual(
          Array.from({ length: 3 }, () => [503, "unavailable"]),
        );
        expect(Number(refused[0]!.reply.headers.get("retry-after"))).toBeGreaterThan(0);
        // A load balancer sends its requests elsewhere.
        const unready = await fetch(`${url}/readyz`);
        expect([unready.status, await unready.json()]).toMatchObject([503, { database: "the disk is full" }]);
        // Nor does anything else pretend: what writes is refused, what reads is answered.
        const others = [
          await client.dismiss({ showToken: closed, surveyId: "b", userId: `closes-${fill}` }),
          await client.ack([{ id: score, state: "delivered" }]),
        ];
        expect(others.map(({ status }) => status)).toEqual([503, 503]);
        expect((await client.bootstrap("a-person")).status).toBe(200);
        expect(await peopleIn(client)).toEqual(people.toSorted());

        await disk.order({ kind: "free" });
        expect((await fetch(`${url}/readyz`)).status).toBe(200);
        // The very tokens that were refused are still good.
        for (const { person, showToken } of refused) {
          expect((await client.submit({ showToken, surveyId: "a", rating: 3 })).status).toBe(201);
          people.push(person);
        }
        expect((await client.submit({ showToken: open, surveyId: "b", rating: 3 })).status).toBe(201);
        people.push(`later-${fill}`);
        expect((await client.ack([{ id: score, state: "delivered" }])).json.updated).toBe(1);
        expect(await peopleIn(client)).toEqual(people.toSorted());
        // Makes room for the next time, and takes the log off the disk.
        for (const person of people.splice(0)) await client.erase({ respondentId: person });
        await disk.order({ kind: "stop" });
        client = await start();
        expect(await peopleIn(client)).toEqual([]);
      }
    },
    60_000 + fills * 10_000,
  );

  it("erases many people whose erasures are logged and audited on the same disk", async () => {
    await using disk = new SmallDisk();
    const { url } = await disk.order({ kind: "start", config, withLogs: true });
    const client = new ApiClient(url!, keysOf("p"));
    const people = Array.from({ length: 24 }, (_, index) => `person-${index}`);
    for (const person of people) await client.answer("a", person);
    await disk.order({ kind: "fill" });
    expect((await answerUntilFull(client, "full")).refused).toHaveLength(3);
    const statuses: number[] = [];
    for (const person of people) {
      statuses.push((await client.erase({ respondentId: person })).status);
      // Whatever becomes free is taken by others at once.
      await disk.order({ kind: "fill" });
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { found } = await disk.order({ kind: "find", text: '"mode":"respondent"' });
    expect(found).toEqual(["erasures.jsonl"]);
    expect((await peopleIn(client)).filter((person) => people.includes(person))).toEqual([]);
  });

  it("uses the reserved space to remove erased text from the disk when only the log has room", async () => {
    await using disk = new SmallDisk(32 * 1024);
    const { url } = await disk.order({ kind: "start", config });
    const client = new ApiClient(url!, keysOf("p"));
    const answer = (person: string) =>
      client.answer("a", person, { text: `words of ${person} `.repeat(450) });
    const found = async (person: string) =>
      (await disk.order({ kind: "find", text: `words of ${person} ` })).found;
    await fillLog(disk, answer);
    await disk.order({ kind: "fill" });
    const people = Array.from({ length: 12 }, (_, index) => `full-${index}`);
    for (const person of people) await answer(person);
    const [last] = people.slice(-1) as [string];
    expect(await found(last)).toEqual(["afterword.db-wal"]);
    expect((await client.erase({ respondentId: last })).json.responsesDeleted).toBe(1);
    expect(await found(last)).toEqual([]);
  });

  it("tells what an erasure in a thread has erased, though the database has no room for the log", async () => {
    await using disk = new SmallDisk(32 * 1024);
    const { url } = await disk.order({ kind: "start", config });
    const client = new ApiClient(url!, keysOf("p"));
    const many = 1100;
    const answer = (person: string) =>
      client.answer("a", person, { text: `words of ${person} `.repeat(450) });
    const people = Array.from({ length: many }, (_, index) => `many-${index}`);
    await disk.order({ kind: "import", surveyId: "b", people });
    await fillLog(disk, answer);
    await disk.order({ kind: "fill" });
    for (let index = 0; index < 12; index++) await answer(`full-${index}`);
    const { status, json } = await client.erase({ surveySlug: "b-slug" });
    expect([status, json.responsesDeleted]).toEqual([200, many]);
  });

  it("refuses a large erasure without room, changes nothing, and completes it once there is room", async () => {
    await using disk = new SmallDisk(32 * 1024);
    const { url } = await disk.order({ kind: "start", config });
    const client = new ApiClient(url!, keysOf("p"));
    const people = Array.from({ length: 1100 }, (_, index) => `many-${index}`);
    await disk.order({ kind: "import", surveyId: "a", people, text: "x".repeat(4000) });
    await disk.order({ kind: "fill" });
    const refused = await client.erase({ surveySlug: "a-slug" });
    expect([refused.status, refused.json.code]).toEqual([503, "unavailable"]);
    await disk.order({ kind: "free" });
    expect(await peopleIn(client)).toEqual(people.toSorted());
    const { status, json } = await client.erase({ surveySlug: "a-slug" });
    expect([status, json.responsesDeleted]).toEqual([200, people.length]);
  });
});

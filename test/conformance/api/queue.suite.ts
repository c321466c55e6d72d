import { describe, expect, it } from "vitest";
import { type ApiClient } from "./api-client.ts";
import { type SuiteApi } from "./suite-api.ts";

const survey = "queue-nps";

export function queueSuite(suite: SuiteApi) {
  describe("the queue of pending scores", () => {
    const fill = async (client: ApiClient, count: number) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index++) ids.push(await client.answer(survey, suite.newPerson()));
      return ids;
    };
    const empty = async (client: ApiClient) => {
      const rows = await client.drain({ includeFailed: "true" });
      for (let at = 0; at < rows.length; at += 200) {
        await client.ack(rows.slice(at, at + 200).map(({ id }) => ({ id, state: "delivered" })));
      }
    };

    it("lists linked responses oldest first, 50 to a page unless told otherwise", async () => {
      const client = suite.client("queue");
      await empty(client);
      const ids = await fill(client, 52);
      const first = await client.pending();
      expect(first.json.scores.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 50));
      const second = await client.pending({ cursor: first.json.nextCursor });
      expect(second.json.scores.map(({ id }: { id: string }) => id)).toEqual(ids.slice(50));
      expect(second.json).not.toHaveProperty("nextCursor");
    });

    it("sends null for missing values, and leaves no field out", async () => {
      const client = suite.client("queue");
      await empty(client);
      const [id] = await fill(client, 1);
      const { scores } = (await client.pending()).json;
      const absent = { text: null, taskType: null, observationId: null };
      const at = new Date(suite.world.clock.now()).toISOString();
      expect(scores).toEqual([{ id, surveyId: survey, at, sessionId: "session", rating: 2, ...absent }]);
    });

    it("listing changes nothing: the same page again", async () => {
      const client = suite.client("queue");
      expect((await client.pending()).text).toBe((await client.pending()).text);
    });

    it("a page that is exactly full and the last has no nextCursor", async () => {
      const client = suite.client("queue");
      await empty(client);
      await fill(client, 3);
      expect((await client.pending({ limit: "3" })).json).not.toHaveProperty("nextCursor");
      expect((await client.pending({ limit: "2" })).json).toHaveProperty("nextCursor");
    });

    it("walking while acknowledging sees every row once", async () => {
      const client = suite.client("queue");
      await empty(client);
      const ids = await fill(client, 12);
      const seen: string[] = [];
      for (let cursor: string | undefined; ;) {
        const { json } = await client.pending({ limit: "5", ...(cursor && { cursor }) });
        seen.push(...json.scores.map(({ id }: { id: string }) => id));
        await client.ack(json.scores.map(({ id }: { id: string }) => ({ id, state: "delivered" })));
        cursor = json.nextCursor;
        if (!cursor) break;
      }
      expect(seen).toEqual(ids);
      expect((await client.pending()).json.scores).toEqual([]);
    });

    it.each(["0", "-1", "1.5", "", "abc", "0x10", "01", " 5", "1e1", "9999999999"])(
      "the limit %j is 400 invalid_query",
      async (limit) => {
        const reply = await suite.client("queue").pending({ limit });
        expect([reply.status, reply.json.code]).toEqual([400, "invalid_query"]);
      },
    );

    it("the limits 101 and 999999999 are served as 100", async () => {
      const client = suite.client("queue");
      await empty(client);
      await Promise.all(Array.from({ length: 6 }, () => fill(client, 17)));
      for (const limit of ["101", "999999999"]) {
        const { json } = await client.pending({ limit });
        expect(json.scores).toHaveLength(100);
        expect(json.nextCursor).toBeTypeOf("string");
      }
      await empty(client);
    });

    it.each(["false", "TRUE", "1", ""])("includeFailed=%j is 400", async (includeFailed) => {
      expect((await suite.client("queue").pending({ includeFailed })).status).toBe(400);
    });

    it("a failed row leaves the queue and comes back with includeFailed=true, in its old place", async () => {
      const client = suite.client("queue");
      await empty(client);
      const ids = await fill(client, 3);
      expect((await client.ack([{ id: ids[1]!, state: "failed" }])).json).toEqual({ ok: true, updated: 1 });
      expect((await client.drain()).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
      expect((await client.drain({ includeFailed: "true" })).map(({ id }) => id)).toEqual(ids);
      expect((await client.drain({ includeFailed: "true", limit: "1" })).map(({ id }) => id)).toEqual(ids);
      expect((await client.ack([{ id: ids[1]!, state: "delivered" }])).json.updated).toBe(1);
      expect((await client.drain({ includeFailed: "true" })).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    });

    it("a failed score may have a reason, which changes nothing else; a bad one is 400", async () => {
      const client = suite.client("queue");
      await empty(client);
      const [id = ""] = await fill(client, 1);
      for (const reason of ["", "x".repeat(81), "two\nlines", 400, null]) {
        const reply = await client.ack([{ id, state: "failed", reason }]);
        expect([reason, reply.status, reply.json.code]).toEqual([reason, 400, "invalid_ack"]);
      }
      expect((await client.ack([{ id, state: "failed", reason: "😀".repeat(80) }])).json.updated).toBe(1);
      expect((await client.ack([{ id, state: "failed", reason: "another" }])).json.updated).toBe(0);
      const [row] = (await client.pending({ includeFailed: "true" })).json.scores;
      expect(row).not.toHaveProperty("reason");
      expect((await client.ack([{ id, state: "delivered", reason: "ignored" }])).json.updated).toBe(1);
    });

    it("a cursor stays good after its rows were acknowledged or erased, and does not expire", async () => {
      const client = suite.client("queue");
      await empty(client);
      const ids = await fill(client, 4);
      const { nextCursor } = (await client.pending({ limit: "2" })).json;
      await client.ack([{ id: ids[0]!, state: "delivered" }]);
      await client.erase({ surveySlug: `${survey}-slug` });
      const later = await fill(client, 1);
      suite.world.clock.advance(90 * 24 * 3_600_000);
      const { json } = await client.pending({ cursor: nextCursor });
      expect(json.scores.map(({ id }: { id: string }) => id)).toEqual(later);
    });

    it("a cursor that is edited, made up, of another project or of another includeFailed is 400", async () => {
      const client = suite.client("queue");
      await empty(client);
      await fill(client, 3);
      const cursor: string = (await client.pending({ limit: "1" })).json.nextCursor;
      const edited = (cursor[0] === "A" ? "B" : "A") + cursor.slice(1);
      for (const wrong of [edited, `${cursor}A`, cursor.slice(0, -1), "x", "", "💥", `${cursor}=`]) {
        const reply = await client.pending({ cursor: wrong });
        expect([wrong, reply.status, reply.json.code]).toEqual([wrong, 400, "invalid_cursor"]);
      }
      expect((await client.pending({ cursor, includeFailed: "true" })).status).toBe(400);
      expect((await suite.client("plain").pending({ cursor })).status).toBe(400);
      expect((await client.pending({ cursor })).status).toBe(200);
    });
  });

  describe("leases of pending scores", () => {
    const listed = async (query: Record<string, string>) => {
      const { json } = await suite.client("queue").pending({ limit: "100", ...query });
      return json.scores.map(({ id }: { id: string }) => id);
    };
    const begin = async (count: number) => {
      const client = suite.client("queue");
      const rows = await client.drain({ includeFailed: "true" });
      for (const { id } of rows) await client.ack([{ id, state: "delivered" }]);
      const ids: string[] = [];
      for (let index = 0; index < count; index++) ids.push(await client.answer(survey, suite.newPerson()));
      return ids;
    };

    it("keep a listed score from other consumers until the lease ends, and tell the lease", async () => {
      const ids = await begin(3);
      const reply = await suite.client("queue").pending({ lease: "60", consumer: "a" });
      expect([reply.json.scores.length, reply.json.lease]).toEqual([3, 60]);
      expect(await listed({ lease: "60", consumer: "b" })).toEqual([]);
      expect(await listed({ lease: "60", consumer: "a" })).toEqual(ids);
      expect(await listed({})).toEqual(ids);
      suite.world.clock.advance(60_000);
      expect(await listed({ lease: "60", consumer: "b" })).toEqual(ids);
    });

    it("are given back with lease=0, which keeps nothing", async () => {
      const ids = await begin(2);
      await listed({ lease: "300", consumer: "a" });
      const reply = await suite.client("queue").pending({ lease: "0", consumer: "a" });
      expect(reply.json).toMatchObject({ lease: 0 });
      expect(await listed({ lease: "300", consumer: "b" })).toEqual(ids);
      expect(await listed({ lease: "0", consumer: "a" })).toEqual([]);
    });

    it("are ignored by acknowledgements, and end with them", async () => {
      const [id = ""] = await begin(1);
      await listed({ lease: "60", consumer: "a" });
      const client = suite.client("queue");
      expect((await client.ack([{ id, state: "failed" }])).json.updated).toBe(1);
      expect(await listed({ lease: "60", consumer: "b", includeFailed: "true" })).toEqual([id]);
    });

    it("walk by the same cursor as a list without them", async () => {
      const ids = await begin(3);
      const lease = { lease: "60", consumer: "a" };
      const { json } = await suite.client("queue").pending({ limit: "2", ...lease });
      expect(json.scores).toHaveLength(2);
      expect(await listed({ cursor: json.nextCursor })).toEqual([ids[2]]);
      expect(await listed({ cursor: json.nextCursor, ...lease })).toEqual([ids[2]]);
    });

    it("are not taken by HEAD", async () => {
      const ids = await begin(1);
      const query = { lease: "60", consumer: "a" };
      const reply = await suite.client("queue").server("HEAD", "/v1/sdk/pending-scores", { query });
      expect([reply.status, reply.text]).toEqual([200, ""]);
      expect(await listed({ lease: "60", consumer: "b" })).toEqual(ids);
    });

    it.each([
      ["no consumer", { lease: "60" }],
      ["no lease", { consumer: "a" }],
      ["301 seconds", { lease: "301", consumer: "a" }],
      ["a negative lease", { lease: "-1", consumer: "a" }],
      ["half a second", { lease: "0.5", consumer: "a" }],
      ["an empty consumer", { lease: "60", consumer: "" }],
      ["a consumer of 65 characters", { lease: "60", consumer: "a".repeat(65) }],
    ])("with %s are 400 invalid_query", async (_, query: Record<string, string>) => {
      const reply = await suite.client("queue").pending(query);
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_query"]);
    });
  });

  describe("acknowledging", () => {
    it("counts the rows whose state changed", async () => {
      const client = suite.client("queue");
      const [first, second] = [
        await client.answer(survey, suite.newPerson()),
        await client.answer(survey, suite.newPerson()),
      ];
      const both = [
        { id: first, state: "delivered" },
        { id: second, state: "failed" },
      ];
      expect((await client.ack(both)).json).toEqual({ ok: true, updated: 2 });
      expect((await client.ack(both)).json).toEqual({ ok: true, updated: 0 });
    });

    it("delivered is final: a later failed is no change", async () => {
      const client = suite.client("queue");
      const id = await client.answer(survey, suite.newPerson());
      await client.ack([{ id, state: "delivered" }]);
      expect((await client.ack([{ id, state: "failed" }])).json.updated).toBe(0);
      expect((await client.drain({ includeFailed: "true" })).map((row) => row.id)).not.toContain(id);
    });

    it("the same id twice counts once, and delivered beats failed in any order", async () => {
      const client = suite.client("queue");
      for (const states of [
        ["failed", "delivered"],
        ["delivered", "failed"],
      ]) {
        const id = await client.answer(survey, suite.newPerson());
        expect((await client.ack(states.map((state) => ({ id, state })))).json.updated).toBe(1);
        expect((await client.drain({ includeFailed: "true" })).map((row) => row.id)).not.toContain(id);
      }
    });

    it("ids that are unknown, erased, unlinked or another project's are ignored", async () => {
      const [client, other] = [suite.client("queue"), suite.client("plain")];
      const foreign = await other.answer("nps", suite.newPerson());
      const erasedPerson = suite.newPerson();
      const erased = await client.answer(survey, erasedPerson);
      await client.erase({ respondentId: erasedPerson });
      const showToken = await client.unboundToken(survey, suite.newPerson());
      const unlinked = (await client.submit({ showToken, surveyId: survey, rating: 1 })).json.id;
      const ids = [foreign, erased, unlinked, "unknown", "💥", "a\u0000b", "a\ud800"];
      const reply = await client.ack(ids.map((id) => ({ id, state: "delivered" })));
      expect([reply.status, reply.json]).toEqual([200, { ok: true, updated: 0 }]);
      expect((await other.drain()).map(({ id }) => id)).toContain(foreign);
    });

    it.each([
      ["no results", {}],
      ["none in the list", { results: [] }],
      ["201 results", { results: Array.from({ length: 201 }, () => ({ id: "a", state: "failed" })) }],
      ["an unknown state", { results: [{ id: "a", state: "pending" }] }],
      ["an empty id", { results: [{ id: "", state: "failed" }] }],
      ["an id of 129 characters", { results: [{ id: "a".repeat(129), state: "failed" }] }],
    ])("%s is 400 invalid_ack", async (_, body) => {
      const reply = await suite.client("queue").server("POST", "/v1/sdk/pending-scores/ack", { body });
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_ack"]);
    });

    it("one bad result among good ones changes nothing", async () => {
      const client = suite.client("queue");
      const id = await client.answer(survey, suite.newPerson());
      const results = [
        { id, state: "delivered" },
        { id: "x", state: "lost" },
      ];
      expect((await client.ack(results)).status).toBe(400);
      expect((await client.drain()).map((row) => row.id)).toContain(id);
    });

    it("200 results with the longest ids are taken", async () => {
      const results = Array.from({ length: 200 }, (_, index) => ({
        id: "💥".repeat(125) + String(index).padStart(3, "0"),
        state: "delivered",
      }));
      expect((await suite.client("queue").ack(results)).json).toEqual({ ok: true, updated: 0 });
    });
  });
}

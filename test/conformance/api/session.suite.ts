import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";
import { unlike } from "./unlike.ts";

export function sessionSuite(suite: SuiteApi) {
  describe("a session-bound token", () => {
    it("links the response: it enters the queue with the attested session and observation", async () => {
      const client = suite.client("queue");
      const bound = {
        respondentId: suite.newPerson(),
        sessionId: "s-1",
        observationId: "o-1",
        taskType: "t-1",
      };
      const showToken = await client.boundToken("queue-nps", bound);
      const { json } = await client.submit({
        showToken,
        surveyId: "queue-nps",
        rating: 8,
        taskType: "claimed",
      });
      const row = (await client.drain()).find(({ id }) => id === json.id);
      expect(row).toEqual({
        id: json.id,
        surveyId: "queue-nps",
        at: json.at,
        sessionId: "s-1",
        observationId: "o-1",
        rating: 8,
        text: null,
        taskType: "t-1",
      });
    });

    it.each([
      ["another session", { sessionId: "other" }],
      ["another observation", { observationId: "other" }],
      ["its session and another observation", { sessionId: "s", observationId: "other" }],
    ])("with %s is 401 and stays unused", async (_, fields) => {
      const client = suite.client("plain");
      const showToken = await client.boundToken("nps", {
        respondentId: suite.newPerson(),
        sessionId: "s",
        observationId: "o",
      });
      const reply = await client.submit({ showToken, surveyId: "nps", rating: 5, ...fields });
      expect([reply.status, reply.json.code]).toEqual([401, "token_session_mismatch"]);
      const matching = { sessionId: "s", observationId: "o" };
      expect((await client.submit({ showToken, surveyId: "nps", rating: 5, ...matching })).status).toBe(201);
    });

    it("that attests no observation refuses any", async () => {
      const client = suite.client("plain");
      const showToken = await client.boundToken("nps", { respondentId: suite.newPerson(), sessionId: "s" });
      const reply = await client.submit({ showToken, surveyId: "nps", rating: 5, observationId: "o" });
      expect([reply.status, reply.json.code]).toEqual([401, "token_session_mismatch"]);
    });

    it("attests the longest ids to the last character, beside the longest text and traits", async () => {
      const client = suite.client("queue");
      const bound = {
        respondentId: unlike(256),
        sessionId: unlike(256, 0x21000),
        observationId: unlike(256, 0x22000),
        taskType: unlike(128, 0x23000),
      };
      const showToken = await client.boundToken("queue-nps", bound);
      const text = unlike(1000).repeat(10);
      const traits = { "about them": "x".repeat(32 * 1024 - 17) };
      const reply = await client.submit({ showToken, surveyId: "queue-nps", rating: 8, text, traits });
      expect(reply.status).toBe(201);
      const { respondentId, ...attested } = bound;
      const row = (await client.drain()).find(({ id }) => id === reply.json.id);
      expect(row).toMatchObject({ ...attested, text });
      expect((await client.export({ respondentId })).json.responses[0]).toMatchObject({ traits, text });
    });

    it("without a task type takes the one of the body", async () => {
      const client = suite.client("queue");
      const showToken = await client.boundToken("queue-nps", { respondentId: suite.newPerson() });
      const { json } = await client.submit({ showToken, surveyId: "queue-nps", rating: 8, taskType: "said" });
      expect((await client.drain()).find(({ id }) => id === json.id)).toMatchObject({ taskType: "said" });
    });
  });

  describe("an unbound token", () => {
    it("with a session in the body is 201, and the response never enters the queue", async () => {
      const client = suite.client("queue");
      const showToken = await client.unboundToken("queue-nps", suite.newPerson());
      const { status, json } = await client.submit({
        showToken,
        surveyId: "queue-nps",
        rating: 8,
        sessionId: "claimed",
        observationId: "claimed",
      });
      expect(status).toBe(201);
      const queued = await client.drain({ includeFailed: "true" });
      expect(queued.map(({ id }) => id)).not.toContain(json.id);
      expect((await client.ack([{ id: json.id, state: "delivered" }])).json.updated).toBe(0);
    });
  });
}

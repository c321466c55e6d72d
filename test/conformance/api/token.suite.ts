import { describe, expect, it } from "vitest";
import { useApi } from "./suite-api.ts";
import { type OpenWorld } from "./api-world.ts";

const hourInMs = 3_600_000;
const dayInMs = 24 * hourInMs;

export function tokenSuite(open: OpenWorld) {
  describe("show-tokens", () => {
    const suite = useApi(open);

    it("unbound ones begin with st1., session-bound ones with st2.", async () => {
      const client = suite.client("plain");
      const respondentId = suite.newPerson();
      expect(await client.unboundToken("nps", respondentId)).toMatch(/^st1\.[a-z0-9]+\.[A-Za-z0-9_-]+$/);
      expect(await client.boundToken("nps", { respondentId })).toMatch(/^st2\.[a-z0-9]+\.[A-Za-z0-9_-]+$/);
    });

    it("say nothing that can be read: neither respondent nor session nor survey", async () => {
      const client = suite.client("plain");
      const respondentId = `readable-${suite.newPerson()}`;
      const token = await client.boundToken("nps", { respondentId, sessionId: "readable-session" });
      const bytes = Buffer.from(token.split(".")[2]!, "base64url").toString("latin1");
      expect(bytes).not.toContain("readable");
      expect(bytes).not.toContain("nps");
    });

    it("with any one character changed are refused with 401 and stay unused", async () => {
      const client = suite.client("plain");
      const token = await client.boundToken("nps", { respondentId: suite.newPerson() });
      for (let at = 0; at < token.length; at += 7) {
        const other = token[at] === "A" ? "B" : "A";
        const showToken = token.slice(0, at) + other + token.slice(at + 1);
        const reply = await client.submit({ showToken, surveyId: "nps", rating: 5 });
        expect([reply.status, reply.json.code]).toEqual([401, "token_invalid"]);
      }
      expect((await client.submit({ showToken: token, surveyId: "nps", rating: 5 })).status).toBe(201);
    });

    it("spelled another way for the same bytes are refused, so that a used one cannot be replayed", async () => {
      const client = suite.client("plain");
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      const token = await client.boundToken("nps", { respondentId: suite.newPerson() });
      expect((await client.submit({ showToken: token, surveyId: "nps", rating: 5 })).status).toBe(201);
      const spellings = [...alphabet].map((last) => token.slice(0, -1) + last).filter((one) => one !== token);
      for (const showToken of [
        ...spellings,
        `${token}=`,
        `${token} `,
        `${token}.`,
        token.replace("st2", "st1"),
      ]) {
        expect((await client.submit({ showToken, surveyId: "nps", rating: 5 })).status).toBe(401);
      }
    });

    it.each([
      "x",
      "st1",
      "st1..",
      "st2.zz.AAAA",
      "st3.a.b",
      ".",
      "a.b.c.d",
      "st1.__proto__.AAAA",
      "💥",
      "%00",
    ])("the text %j is no token: 401 on submit and on dismissal", async (showToken) => {
      const client = suite.client("plain");
      const submitted = await client.submit({ showToken, surveyId: "nps", rating: 5 });
      const dismissed = await client.dismiss({ showToken, surveyId: "nps", userId: "u" });
      for (const reply of [submitted, dismissed]) {
        expect([reply.status, reply.json.code]).toEqual([401, "token_invalid"]);
      }
    });

    it("of another project are refused with 401", async () => {
      const foreign = await suite
        .client("other")
        .boundToken("other-nps", { respondentId: suite.newPerson() });
      const reply = await suite.client("plain").submit({ showToken: foreign, surveyId: "nps", rating: 5 });
      expect([reply.status, reply.json.code]).toEqual([401, "token_invalid"]);
    });

    it("unbound ones live a day: accepted before, 401 token_expired after", async () => {
      const client = suite.client("plain");
      const [early, late] = [await client.unboundToken("nps"), await client.unboundToken("nps")];
      suite.world.clock.advance(dayInMs - 1000);
      expect((await client.submit({ showToken: early, surveyId: "nps", rating: 5 })).status).toBe(201);
      suite.world.clock.advance(62_000);
      const reply = await client.submit({ showToken: late, surveyId: "nps", rating: 5 });
      expect([reply.status, reply.json.code]).toEqual([401, "token_expired"]);
    });

    it("bound ones live a week, and a used one that has expired is 401, never new", async () => {
      const client = suite.client("plain");
      const respondentId = suite.newPerson();
      const [early, late] = [
        await client.boundToken("nps", { respondentId }),
        await client.boundToken("csat", { respondentId }),
      ];
      suite.world.clock.advance(7 * dayInMs - 1000);
      expect((await client.submit({ showToken: early, surveyId: "nps", rating: 5 })).status).toBe(201);
      suite.world.clock.advance(62_000);
      for (const [showToken, surveyId] of [
        [early, "nps"],
        [late, "csat"],
      ]) {
        const reply = await client.submit({ showToken, surveyId, rating: 5 });
        expect([reply.status, reply.json.code]).toEqual([401, "token_expired"]);
      }
    });

    it("have 60 seconds of leeway for clocks that differ", async () => {
      const client = suite.client("plain");
      const showToken = await client.unboundToken("nps");
      suite.world.clock.advance(dayInMs + 59_000);
      expect((await client.submit({ showToken, surveyId: "nps", rating: 5 })).status).toBe(201);
    });

    it("issued more than five minutes in the future are refused with 401", async () => {
      const client = suite.client("plain");
      const [far, near] = [await client.unboundToken("nps"), await client.unboundToken("nps")];
      suite.world.clock.advance(-4 * 60_000);
      expect((await client.submit({ showToken: near, surveyId: "nps", rating: 5 })).status).toBe(201);
      suite.world.clock.advance(-2 * 60_000);
      const reply = await client.submit({ showToken: far, surveyId: "nps", rating: 5 });
      expect([reply.status, reply.json.code]).toEqual([401, "token_invalid"]);
      suite.world.clock.advance(6 * 60_000);
    });

    it("outlive the key that sealed them: a new one seals each day, and earlier ones still open", async () => {
      const client = suite.client("plain");
      const keyIds = new Set<string>();
      for (let day = 0; day < 31; day += 6) {
        const token = await client.boundToken("nps", { respondentId: suite.newPerson() });
        keyIds.add(token.split(".")[1]!);
        suite.world.clock.advance(6 * dayInMs);
        expect((await client.submit({ showToken: token, surveyId: "nps", rating: 5 })).status).toBe(201);
      }
      expect(keyIds.size).toBe(6);
    });
  });

  describe("minting", () => {
    const suite = useApi(open);

    it("gives one token per active survey, what is suppressed, and when it was", async () => {
      const reply = await suite.client("plain").mint({ respondentId: suite.newPerson() });
      expect(reply.status).toBe(200);
      expect(Object.keys(reply.json.tokens).sort()).toEqual(["ces", "csat", "nps", "pmf"]);
      expect(reply.json.suppression).toEqual([]);
      expect(reply.json.issuedAt).toBe(new Date(suite.world.clock.now()).toISOString());
    });

    it("for one survey gives that one alone", async () => {
      const reply = await suite.client("plain").mint({ respondentId: suite.newPerson(), surveyId: "csat" });
      expect(Object.keys(reply.json.tokens)).toEqual(["csat"]);
    });

    it.each(["unknown", "paused", "draft", "other-nps"])(
      "for the survey %s, which is not active here, is 200 without tokens",
      async (surveyId) => {
        const reply = await suite.client("plain").mint({ respondentId: suite.newPerson(), surveyId });
        expect([reply.status, reply.json.tokens]).toEqual([200, {}]);
      },
    );

    it("refuses ids that begin with imp_, which are those of imported people", async () => {
      const reply = await suite.client("plain").mint({ respondentId: "imp_abc" });
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_body"]);
      expect((await suite.client("plain").bootstrap("imp_abc")).status).toBe(400);
    });

    it.each([
      ["no respondent", { respondentId: undefined }],
      ["an empty session", { sessionId: "" }],
      ["a respondent of 257 characters", { respondentId: "r".repeat(257) }],
      ["a task type of 129 characters", { taskType: "t".repeat(129) }],
      ["a control character", { respondentId: "a\u0007b" }],
      ["a lone surrogate", { sessionId: "a\ud800" }],
    ])("with %s is 400", async (_, fields) => {
      const reply = await suite.client("plain").mint({ respondentId: "r", ...fields });
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_body"]);
    });

    it("counts lengths in code points: 256 emoji are a legal respondent, session and observation", async () => {
      const client = suite.client("plain");
      const longest = "🙂".repeat(256);
      const respondentId = longest;
      const attested = { sessionId: longest, observationId: longest, taskType: "🙂".repeat(128) };
      const showToken = await client.boundToken("nps", { respondentId, ...attested });
      expect((await client.submit({ showToken, surveyId: "nps", rating: 1 })).status).toBe(201);
      expect((await client.export({ respondentId })).json.count).toBe(1);
    });
  });
}

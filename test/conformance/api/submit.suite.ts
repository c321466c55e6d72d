import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";
import { unlike } from "./unlike.ts";

const scales = [
  ["nps", 0, 10],
  ["csat", 1, 5],
  ["ces", 1, 7],
  ["pmf", 0, 2],
] as const;

export function submitSuite(suite: SuiteApi) {
  describe("submitting a response", () => {
    it("with a valid unused token is 201 with ok, an id and the server's time", async () => {
      const client = suite.client("plain");
      const showToken = await client.unboundToken("nps", suite.newPerson());
      const reply = await client.submit({ showToken, surveyId: "nps", rating: 9 });
      expect(reply.status).toBe(201);
      expect(reply.json).toEqual({
        ok: true,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: new Date(suite.world.clock.now()).toISOString(),
      });
    });

    it("with a used token is 409 with the record that used it, and nothing is stored", async () => {
      const client = suite.client("plain");
      const respondentId = suite.newPerson();
      const showToken = await client.boundToken("nps", { respondentId });
      const first = await client.submit({ showToken, surveyId: "nps", rating: 9 });
      const second = await client.submit({ showToken, surveyId: "nps", rating: 1, text: "again" });
      expect([second.status, second.json.code]).toEqual([409, "token_used"]);
      const { id, at } = first.json;
      expect(second.json.existing).toEqual({ id, at, kind: "response", isSame: false });
      expect((await client.export({ respondentId })).json.responses).toMatchObject([
        { rating: 9, text: null },
      ]);
    });

    it.each([
      ["the same rating without a text", { rating: 9 }, { rating: 9 }, true],
      ["the same rating and text", { rating: 9, text: "fast 👍" }, { rating: 9, text: "fast 👍" }, true],
      ["no text for an empty one", { rating: 9, text: "" }, { rating: 9 }, true],
      [
        "a text that was stored with a replacement",
        { rating: 9, text: "a\u0000" },
        { rating: 9, text: "a\u0000" },
        true,
      ],
      ["another rating", { rating: 9 }, { rating: 8 }, false],
      ["another text", { rating: 9, text: "fast" }, { rating: 9, text: "Fast" }, false],
      ["a text where there was none", { rating: 9 }, { rating: 9, text: "fast" }, false],
    ])("again with %s says whether it is the same answer", async (_, answer, again, isSame) => {
      const client = suite.client("plain");
      const showToken = await client.unboundToken("nps");
      await client.submit({ showToken, surveyId: "nps", ...answer });
      const reply = await client.submit({ showToken, surveyId: "nps", ...again });
      expect([reply.status, reply.json.existing.isSame]).toEqual([409, isSame]);
    });

    it("says whether it is the same answer with the first three 409 replies of a token only", async () => {
      const client = suite.client("plain");
      const showToken = await client.boundToken("csat", { respondentId: suite.newPerson() });
      await client.submit({ showToken, surveyId: "csat", rating: 4 });
      const said = [];
      for (const rating of [1, 9, 3, 4, 5]) {
        const { json } = await client.submit({ showToken, surveyId: "csat", rating });
        said.push(json.existing.isSame);
      }
      expect(said).toEqual([false, false, false, undefined, undefined]);
    });

    it("says whether it is the same answer for 24 hours only, and not once it is erased", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const [late, erased] = [
        await client.boundToken("nps", { respondentId: userId }),
        await client.boundToken("csat", { respondentId: userId }),
      ];
      await client.submit({ showToken: late, surveyId: "nps", rating: 4 });
      const isSame = async (showToken: string, surveyId: string) =>
        (await client.submit({ showToken, surveyId, rating: 4 })).json.existing?.isSame;
      suite.world.clock.advance(24 * 3_600_000);
      expect(await isSame(late, "nps")).toBe(true);
      suite.world.clock.advance(1);
      expect(await isSame(late, "nps")).toBeUndefined();
      await client.submit({ showToken: erased, surveyId: "csat", rating: 4 });
      await client.erase({ respondentId: userId });
      expect(await isSame(erased, "csat")).toBeUndefined();
    });

    it("after a dismissal with the same token is 409 that names the dismissal", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const dismissed = await client.dismiss({ showToken, surveyId: "nps", userId });
      const reply = await client.submit({ showToken, surveyId: "nps", rating: 9 });
      expect(reply.status).toBe(409);
      expect(reply.json.existing).toEqual({
        id: dismissed.json.id,
        at: dismissed.json.at,
        kind: "dismissal",
      });
      expect((await client.export({ respondentId: userId })).json.count).toBe(0);
    });

    it("for a survey that the project does not have is 404, and the token stays unused", async () => {
      const client = suite.client("plain");
      const showToken = await client.unboundToken("nps");
      for (const surveyId of ["nope", "other-nps"]) {
        const reply = await client.submit({ showToken, surveyId, rating: 5 });
        expect([reply.status, reply.json.code]).toEqual([404, "survey_not_found"]);
      }
      expect((await client.submit({ showToken, surveyId: "nps", rating: 5 })).status).toBe(201);
    });

    it.each(scales)(
      "takes %s ratings from %i to %i and refuses those beside with 400",
      async (id, min, max) => {
        const client = suite.client("plain");
        for (let rating = 0; rating <= 10; rating++) {
          const showToken = await client.unboundToken(id);
          const reply = await client.submit({ showToken, surveyId: id, rating });
          const fits = rating >= min && rating <= max;
          expect([rating, reply.status]).toEqual([rating, fits ? 201 : 400]);
          if (fits) continue;
          expect(reply.json.code).toBe("rating_out_of_range");
          // A failed check never consumes the token.
          expect((await client.submit({ showToken, surveyId: id, rating: min })).status).toBe(201);
        }
      },
    );

    it.each([
      ["7.0", 7],
      ["1e1", 10],
      ["-0", 0],
    ])("takes the JSON number %s as %i", async (number, rating) => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const body = `{"key":"${client.keys.publishableKey}","showToken":"${showToken}","surveyId":"nps","rating":${number}}`;
      expect((await client.call("POST", "/v1/sdk/responses", { body })).status).toBe(201);
      const exported = await client.export({ respondentId: userId });
      expect(exported.json.responses[0].rating).toBe(rating);
      expect(exported.text).not.toContain("-0,");
    });

    it.each(['"7"', "7.5", "true", "null", "-1", "11", "[7]"])(
      "refuses the rating %s with 400",
      async (rating) => {
        const client = suite.client("plain");
        const showToken = await client.unboundToken("nps");
        const body = `{"key":"${client.keys.publishableKey}","showToken":"${showToken}","surveyId":"nps","rating":${rating}}`;
        expect((await client.call("POST", "/v1/sdk/responses", { body })).json.code).toBe("invalid_body");
      },
    );

    it("takes 10,000 astral characters of text and refuses 10,001", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const tooLong = await client.submit({
        showToken,
        surveyId: "nps",
        rating: 5,
        text: "🙂".repeat(10_001),
      });
      expect([tooLong.status, tooLong.json.code]).toEqual([400, "invalid_body"]);
      const text = "🙂".repeat(10_000);
      const escaped = JSON.stringify(text).replaceAll(
        /[\ud800-\udfff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
      );
      const body = `{"key":"${client.keys.publishableKey}","showToken":"${showToken}","surveyId":"nps","rating":5,"text":${escaped}}`;
      expect((await client.call("POST", "/v1/sdk/responses", { body })).status).toBe(201);
      expect((await client.export({ respondentId: userId })).json.responses[0].text).toBe(text);
    });

    it("keeps an answer whose text holds NUL or half a character, with U+FFFD in its place", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const traits = { "pl\u0000an": "a\ud800b" };
      const reply = await client.submit({
        showToken,
        surveyId: "nps",
        rating: 5,
        text: "a\u0000b\ud800c",
        traits,
      });
      expect(reply.status).toBe(201);
      expect((await client.export({ respondentId: userId })).json.responses[0]).toMatchObject({
        text: "a\ufffdb\ufffdc",
        traits: { "pl\ufffdan": "a\ufffdb" },
      });
    });

    it("keeps a respondent's id to the byte: nothing trimmed, folded or normalised", async () => {
      const client = suite.client("plain");
      for (const userId of [" Ann ", "ANN", "ann", "e\u0301", "\u00e9"]) {
        const showToken = await client.unboundToken("nps", userId);
        await client.submit({ showToken, surveyId: "nps", rating: 5 });
        const { json } = await client.export({ respondentId: userId });
        expect(json.responses.map((row: { respondentId: string }) => row.respondentId)).toEqual([userId]);
      }
    });

    it("takes the longest respondent's id, whatever its characters: it is asked, answered, exported and erased", async () => {
      const client = suite.client("plain");
      const userId = unlike(1024);
      const { showTokens } = (await client.bootstrap(userId)).json;
      expect((await client.submit({ showToken: showTokens.nps, surveyId: "nps", rating: 5 })).status).toBe(
        201,
      );
      const dismissal = { showToken: showTokens.csat, surveyId: "csat", userId };
      expect((await client.dismiss(dismissal)).status).toBe(201);
      expect((await client.bootstrap(userId)).json.suppression.toSorted()).toEqual(["csat", "nps"]);
      expect((await client.export({ respondentId: userId })).json.count).toBe(1);
      expect((await client.erase({ respondentId: userId })).json).toMatchObject({
        responsesDeleted: 1,
        dismissalsDeleted: 1,
      });
    });

    it.each([
      ["a control character", "a\u0001b"],
      ["a lone surrogate", "a\ud800"],
      ["NUL", "a\u0000"],
      ["a line feed", "a\nb"],
      ["DEL", "a\u007f"],
      ["a C1 control", "a\u0085"],
      ["1,025 characters", "u".repeat(1025)],
      ["nothing", ""],
    ])("refuses a userId with %s", async (_, userId) => {
      const client = suite.client("plain");
      const showToken = await client.unboundToken("nps");
      expect((await client.submit({ showToken, surveyId: "nps", rating: 5, userId })).status).toBe(400);
    });

    it("stores the token's respondent, whatever the body claims", async () => {
      const client = suite.client("plain");
      const [attested, claimed] = [suite.newPerson(), suite.newPerson()];
      const showToken = await client.boundToken("nps", { respondentId: attested });
      expect((await client.submit({ showToken, surveyId: "nps", rating: 5, userId: claimed })).status).toBe(
        201,
      );
      expect((await client.export({ respondentId: attested })).json.count).toBe(1);
      expect((await client.export({ respondentId: claimed })).json.count).toBe(0);
      expect((await client.bootstrap(claimed)).json.suppression).toEqual([]);
    });

    it("takes the body's respondent where the token has none", async () => {
      const client = suite.client("plain");
      const claimed = suite.newPerson();
      const showToken = await client.unboundToken("nps");
      await client.submit({ showToken, surveyId: "nps", rating: 5, userId: claimed });
      expect((await client.export({ respondentId: claimed })).json.count).toBe(1);
      expect((await client.bootstrap(claimed)).json.suppression).toEqual(["nps"]);
    });

    it("stores both answers of two tabs: a token for the same survey and respondent each", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const tokens = [await client.unboundToken("nps", userId), await client.unboundToken("nps", userId)];
      for (const showToken of tokens) {
        expect((await client.submit({ showToken, surveyId: "nps", rating: 5 })).status).toBe(201);
      }
      expect((await client.export({ respondentId: userId })).json.count).toBe(2);
      expect((await client.bootstrap(userId)).json.suppression).toEqual(["nps"]);
    });

    it("ignores fields that are not known and stores none of them", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const reply = await client.submit({ showToken, surveyId: "nps", rating: 5, admin: true, at: "1999" });
      expect(reply.status).toBe(201);
      const exported = await client.export({ respondentId: userId });
      expect(exported.text).not.toContain("admin");
      expect(exported.text).not.toContain("1999");
    });
  });

  describe("traits", () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
    const submitWith = async (traits: unknown, userId = suite.newPerson()) => {
      const client = suite.client("plain");
      const showToken = await client.unboundToken("nps", userId);
      return client.submit({ showToken, surveyId: "nps", rating: 5, traits });
    };

    it("come back as they were", async () => {
      const userId = suite.newPerson();
      const traits = { plan: "pro", seats: 3, tags: ["a", "b"], address: { city: "Ulm" }, none: null };
      expect((await submitWith(traits, userId)).status).toBe(201);
      expect((await suite.client("plain").export({ respondentId: userId })).json.responses[0].traits).toEqual(
        traits,
      );
    });

    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

    it.each([
      ["100 keys", keys(100)],
      ["eight levels", nested(8)],
    ])("may have %s", async (_, traits) => {
      expect((await submitWith(traits)).status).toBe(201);
    });

    it.each([
      ["an array", []],
      ["a string", "x"],
      ["a number", 1],
      ["null", null],
      ["101 keys", keys(101)],
      ["nine levels", nested(9)],
      ["more than 32 KiB", { a: "x".repeat(33_000) }],
      ["more than 32 KiB in UTF-8", { a: "é".repeat(16_384) }],
    ])("that are %s are refused with 400", async (_, traits) => {
      expect((await submitWith(traits)).status).toBe(400);
    });

    it("lose the keys that could change a prototype, at every level", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      const traits = '{"__proto__":{"x":1},"constructor":1,"a":{"prototype":2,"__proto__":{"y":1},"ok":3}}';
      const body = `{"key":"${client.keys.publishableKey}","showToken":"${showToken}","surveyId":"nps","rating":5,"traits":${traits}}`;
      expect((await client.call("POST", "/v1/sdk/responses", { body })).status).toBe(201);
      const exported = await client.export({ respondentId: userId });
      expect(exported.json.responses[0].traits).toEqual({ a: { ok: 3 } });
      expect(exported.text).not.toContain("__proto__");
      expect(({} as { x?: unknown }).x).toBeUndefined();
    });
  });
}

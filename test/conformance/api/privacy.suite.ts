import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

export function privacySuite(suite: SuiteApi) {
  describe("exporting", () => {
    it("without a selector gives the whole project, with its count, and no other project's rows", async () => {
      const [client, other] = [suite.client("plain"), suite.client("other")];
      const mine = [
        await client.answer("nps", suite.newPerson()),
        await client.answer("csat", suite.newPerson()),
      ];
      const foreign = await other.answer("other-nps", suite.newPerson());
      const { status, json } = await client.export();
      expect(status).toBe(200);
      expect(json).toMatchObject({
        projectId: "plain",
        exportedAt: expect.any(String),
        count: json.responses.length,
      });
      const ids = json.responses.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(expect.arrayContaining(mine));
      expect(ids).not.toContain(foreign);
    });

    it("a row has what was stored, and the version of the survey it answered", async () => {
      const client = suite.client("plain");
      const respondentId = suite.newPerson();
      const id = await client.answer("csat", respondentId, {
        text: "good",
        followUpRequested: true,
        traits: { a: 1 },
      });
      const { json } = await client.export({ respondentId });
      expect(json.responses).toEqual([
        {
          id,
          surveyId: "csat",
          surveyVersion: 1,
          respondentId,
          rating: 2,
          text: "good",
          followUpRequested: true,
          at: new Date(suite.world.clock.now()).toISOString(),
          source: "measured",
          traits: { a: 1 },
        },
      ]);
    });

    it("selects by respondent, by survey, and by both", async () => {
      const client = suite.client("plain");
      const person = suite.newPerson();
      const [nps, csat] = [await client.answer("nps", person), await client.answer("csat", person)];
      const stranger = await client.answer("nps", suite.newPerson());
      const ids = async (query: Record<string, string>) =>
        (await client.export(query)).json.responses.map(({ id }: { id: string }) => id).sort();
      expect(await ids({ respondentId: person })).toEqual([nps, csat].sort());
      expect(await ids({ respondentId: person, surveySlug: "nps-slug" })).toEqual([nps]);
      expect(await ids({ surveySlug: "nps-slug" })).toEqual(expect.arrayContaining([nps, stranger].sort()));
      expect(await ids({ surveySlug: "nps-slug" })).not.toContain(csat);
    });

    it("is the same when repeated", async () => {
      const client = suite.client("plain");
      expect((await client.export()).text).toBe((await client.export()).text);
    });

    it("an unknown slug, or another project's, is 404; a known one without rows is empty", async () => {
      const client = suite.client("plain");
      for (const surveySlug of ["nope", "other-nps-slug"]) {
        const reply = await client.export({ surveySlug });
        expect([reply.status, reply.json.code]).toEqual([404, "survey_not_found"]);
      }
      expect((await client.export({ surveySlug: "draft-slug" })).json).toMatchObject({
        count: 0,
        responses: [],
      });
    });

    it("an unknown person's rows are an empty export", async () => {
      const client = suite.client("plain");
      const selectors: Record<string, string>[] = [
        { respondentId: "unknown" },
        { email: "unknown@example.org" },
      ];
      for (const query of selectors) {
        expect((await client.export(query)).json).toMatchObject({ count: 0, responses: [] });
      }
    });

    const wrong: Record<string, string>[] = [
      { respondentId: "" },
      { email: "" },
      { email: "not an address" },
      { surveySlug: "" },
      { account: "1" },
    ];
    it.each(wrong)("the selector %j is 400", async (query) => {
      const reply = await suite.client("plain").export(query);
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_selectors"]);
    });
  });

  describe("erasing a respondent", () => {
    it("deletes responses and dismissals, keeps suppression, and says how many", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      await client.answer("nps", userId);
      await client.answer("csat", userId);
      await client.dismiss({ showToken: await client.unboundToken("ces", userId), surveyId: "ces", userId });
      const reply = await client.erase({ respondentId: userId });
      expect(reply.json).toEqual({
        ok: true,
        mode: "respondent",
        respondentIds: [userId],
        responsesDeleted: 2,
        dismissalsDeleted: 1,
        suppressionRetained: 3,
        note: expect.stringMatching(/backups keep the erased bytes|backups keep them/i),
      });
      expect((await client.export({ respondentId: userId })).json.count).toBe(0);
      expect((await client.bootstrap(userId)).json.suppression.sort()).toEqual(["ces", "csat", "nps"]);
    });

    it("says that scores which the observability service has already stay there", async () => {
      const { note } = (await suite.client("plain").erase({ respondentId: suite.newPerson() })).json;
      expect(note).toMatch(
        /already delivered stay at the observability service until they are deleted there/,
      );
    });

    it("again, or of an unknown person, is 200 with zeros: no oracle", async () => {
      const client = suite.client("plain");
      const reply = await client.erase({ respondentId: "unknown-person" });
      expect(reply.json).toMatchObject({
        ok: true,
        responsesDeleted: 0,
        dismissalsDeleted: 0,
        suppressionRetained: 0,
      });
    });

    it("leaves every other respondent alone", async () => {
      const client = suite.client("plain");
      const [gone, stays] = [suite.newPerson(), suite.newPerson()];
      await client.answer("nps", gone);
      await client.answer("nps", stays);
      await client.erase({ respondentId: gone });
      expect((await client.export({ respondentId: stays })).json.count).toBe(1);
    });

    it("removes queued rows, and a later acknowledgement is no change", async () => {
      const client = suite.client("queue");
      const userId = suite.newPerson();
      const id = await client.answer("queue-nps", userId);
      await client.erase({ respondentId: userId });
      expect((await client.drain({ includeFailed: "true" })).map((row) => row.id)).not.toContain(id);
      expect((await client.ack([{ id, state: "delivered" }])).json.updated).toBe(0);
    });

    it("does not make the token usable again: 409 without the record, and a repeated dismissal is 401", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const { showTokens } = (await client.bootstrap(userId)).json;
      const answer = { showToken: showTokens.nps, surveyId: "nps", rating: 5 };
      const dismissal = { showToken: showTokens.csat, surveyId: "csat", userId };
      await client.submit(answer);
      await client.dismiss(dismissal);
      await client.erase({ respondentId: userId });
      const [submitted, dismissed] = [await client.submit(answer), await client.dismiss(dismissal)];
      expect([submitted.status, submitted.json.code]).toEqual([409, "token_used"]);
      expect([dismissed.status, dismissed.json.code]).toEqual([401, "token_used"]);
      expect(submitted.json).not.toHaveProperty("existing");
      expect((await client.export({ respondentId: userId })).json.count).toBe(0);
    });

    it("leaves outstanding tokens valid: answering again is new data", async () => {
      const client = suite.client("plain");
      const userId = suite.newPerson();
      const showToken = await client.unboundToken("nps", userId);
      await client.erase({ respondentId: userId });
      expect((await client.submit({ showToken, surveyId: "nps", rating: 5 })).status).toBe(201);
    });

    it("with a slug is narrowed to that survey, and is never a survey purge", async () => {
      const client = suite.client("plain");
      const [person, stranger] = [suite.newPerson(), suite.newPerson()];
      await client.answer("nps", person);
      await client.answer("csat", person);
      await client.answer("nps", stranger);
      const reply = await client.erase({ respondentId: person, surveySlug: "nps-slug" });
      expect(reply.json).toMatchObject({ mode: "respondent", surveySlug: "nps-slug", responsesDeleted: 1 });
      expect((await client.export({ respondentId: person })).json.count).toBe(1);
      expect((await client.export({ respondentId: stranger })).json.count).toBe(1);
    });

    it("by id and e-mail is the union of both, and the address never comes back", async () => {
      const client = suite.client("plain");
      const person = suite.newPerson();
      await client.answer("nps", person);
      const reply = await client.erase({ respondentId: person, email: "Ann@Example.org" });
      expect(reply.json).toMatchObject({ mode: "respondent", responsesDeleted: 1 });
      expect(reply.json.respondentIds).toEqual([person, expect.stringMatching(/^imp_[a-z2-7]{52}$/)]);
      expect(reply.text.toLowerCase()).not.toContain("example.org");
    });

    it("hashes an e-mail address trimmed and in lower case, keeps dots and plus signs, per project", async () => {
      const hashOf = async (email: string, projectId = "plain") =>
        (await suite.client(projectId).erase({ email })).json.respondentIds[0];
      const plain = await hashOf("ann@example.org");
      expect(await hashOf(" Ann@EXAMPLE.org ")).toBe(plain);
      expect(await hashOf("a.nn@example.org")).not.toBe(plain);
      expect(await hashOf("ann+x@example.org")).not.toBe(plain);
      expect(await hashOf("ann@example.org", "other")).not.toBe(plain);
    });
  });

  describe("erasing a survey", () => {
    it("deletes all answers to it, keeps suppression, and changes nothing else", async () => {
      const client = suite.client("erased");
      const [one, two] = [suite.newPerson(), suite.newPerson()];
      await client.answer("erased-nps", one);
      await client.answer("erased-csat", one);
      const showToken = await client.unboundToken("erased-nps", two);
      await client.dismiss({ showToken, surveyId: "erased-nps", userId: two });
      const reply = await client.erase({ surveySlug: "erased-nps-slug" });
      expect(reply.json).toEqual({
        ok: true,
        mode: "survey",
        surveySlug: "erased-nps-slug",
        responsesDeleted: 1,
        dismissalsDeleted: 1,
        suppressionRetained: 2,
        note: expect.any(String),
      });
      expect((await client.bootstrap(one)).json.suppression.sort()).toEqual(["erased-csat", "erased-nps"]);
      expect((await client.export()).json.count).toBe(1);
    });

    it("leaves outstanding tokens valid: answering again is new data", async () => {
      const client = suite.client("erased");
      const showToken = await client.boundToken("erased-nps", { respondentId: suite.newPerson() });
      await client.erase({ surveySlug: "erased-nps-slug" });
      expect((await client.submit({ showToken, surveyId: "erased-nps", rating: 5 })).status).toBe(201);
    });

    it("frees places of a survey with a maximum", async () => {
      const client = suite.client("freed");
      await client.answer("f1", suite.newPerson());
      expect(Object.keys((await client.bootstrap()).json.showTokens)).toEqual(["f2"]);
      await client.erase({ surveySlug: "f1-slug" });
      expect(Object.keys((await client.bootstrap()).json.showTokens).sort()).toEqual(["f1", "f2"]);
    });

    it("that does not exist, or is another project's, is 404", async () => {
      for (const surveySlug of ["nope", "plain-nps-slug"]) {
        expect((await suite.client("other").erase({ surveySlug })).status).toBe(404);
      }
    });
  });

  describe("erasing the account", () => {
    it("deletes everything but keys and surveys; tokens from before are refused and people can be asked again", async () => {
      const client = suite.client("purged");
      const person = suite.newPerson();
      await client.answer("purged-nps", person);
      const dismisser = suite.newPerson();
      const used = await client.unboundToken("purged-nps", dismisser);
      await client.dismiss({ showToken: used, surveyId: "purged-nps", userId: dismisser });
      const outstanding = await client.boundToken("purged-nps", { respondentId: suite.newPerson() });
      const email = { email: "ann@example.org" };
      const [before] = (await client.erase(email)).json.respondentIds;

      const reply = await client.erase({ account: "true" });
      expect(reply.json).toEqual({
        ok: true,
        mode: "account",
        responsesDeleted: 1,
        dismissalsDeleted: 1,
        suppressionRetained: 0,
        note: expect.stringContaining("can be asked again"),
      });

      const submitted = await client.submit({ showToken: outstanding, surveyId: "purged-nps", rating: 5 });
      expect([submitted.status, submitted.json.code]).toEqual([401, "token_invalid"]);
      expect((await client.export()).json.count).toBe(0);
      expect(await client.drain({ includeFailed: "true" })).toEqual([]);
      const again = await client.bootstrap(person);
      expect(again.json.suppression).toEqual([]);
      expect(again.json.surveys).toHaveLength(1);
      await client.answer("purged-nps", person);
      expect((await client.export()).json.count).toBe(1);
      // The pepper is gone with the data: the same address has another hash from now on.
      expect((await client.erase(email)).json.respondentIds[0]).not.toBe(before);
    });

    it("leaves every other project alone", async () => {
      const [client, other] = [suite.client("purged"), suite.client("other")];
      const id = await other.answer("other-nps", suite.newPerson());
      await client.erase({ account: "1" });
      expect((await other.drain()).map((row) => row.id)).toContain(id);
    });

    it.each(["TRUE", "yes", "0", "false", ""])("account=%j is 400 and deletes nothing", async (account) => {
      const client = suite.client("purged");
      const id = await client.answer("purged-nps", suite.newPerson());
      const reply = await client.erase({ account });
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_selectors"]);
      expect((await client.drain()).map((row) => row.id)).toContain(id);
    });

    const others: Record<string, string>[] = [
      { respondentId: "a" },
      { email: "a@b.example" },
      { surveySlug: "purged-nps-slug" },
    ];
    it.each(others)("with %j beside it is 400 and deletes nothing", async (other) => {
      const client = suite.client("purged");
      const id = await client.answer("purged-nps", suite.newPerson());
      expect((await client.erase({ account: "true", ...other })).status).toBe(400);
      expect((await client.drain()).map((row) => row.id)).toContain(id);
    });

    it("no selector at all is 400 and never the account", async () => {
      const client = suite.client("purged");
      const id = await client.answer("purged-nps", suite.newPerson());
      const reply = await client.erase({});
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_selectors"]);
      expect((await client.drain()).map((row) => row.id)).toContain(id);
    });
  });
}

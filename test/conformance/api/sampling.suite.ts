import { describe, expect, it } from "vitest";
import { type SuiteApi } from "./suite-api.ts";

/** What a mint attests about its run, and which runs a survey asks about (contract, sections 4.4 and 2.3). */
export function samplingSuite(suite: SuiteApi) {
  const failed = { version: "2.4", facts: { outcome: "failed", steps: 14, handedOver: true } };
  const mint = async (fields: object) => {
    const respondentId = suite.newPerson();
    return (await suite.client("sampled").mint({ respondentId, ...fields })).json;
  };
  const runs = (count: number) => Array.from({ length: count }, (_, number) => `run-${number}`);

  describe("what a mint says about its run", () => {
    it("is kept with the response: in the queue and in an export, together with the stratum and its probability", async () => {
      const respondentId = suite.newPerson();
      const client = suite.client("sampled");
      const showToken = await client.boundToken("failures", { respondentId, run: failed });
      const { json } = await client.submit({ showToken, surveyId: "failures", rating: 9 });
      const run = { ...failed, stratum: "failed", samplingProbability: 1 };
      const scores = (await client.drain()) as unknown as { id: string; run: object }[];
      expect(scores.find(({ id }) => id === json.id)?.run).toEqual(run);
      const { responses } = (await client.export({ respondentId })).json;
      expect(responses).toMatchObject([{ id: json.id, run }]);
    });

    it("is erased with the response", async () => {
      const respondentId = suite.newPerson();
      const client = suite.client("sampled");
      const showToken = await client.boundToken("all", { respondentId, run: { version: "erased-version" } });
      await client.submit({ showToken, surveyId: "all", rating: 9 });
      await client.erase({ respondentId });
      expect((await client.export({})).text).not.toContain("erased-version");
    });

    it("is missing, not null, where nothing was said", async () => {
      const client = suite.client("sampled");
      const respondentId = suite.newPerson();
      const id = await client.answer("all", respondentId);
      const scores = (await client.drain()) as object[];
      expect(scores.find((score) => "id" in score && score.id === id)).not.toHaveProperty("run");
      expect((await client.export({ respondentId })).json.responses[0]).not.toHaveProperty("run");
    });

    it("cannot be changed or added by the page", async () => {
      const client = suite.client("sampled");
      const respondentId = suite.newPerson();
      const showToken = await client.boundToken("all", { respondentId, run: { version: "2.4" } });
      await client.submit({ showToken, surveyId: "all", rating: 9, run: { version: "9", facts: { a: 1 } } });
      expect((await client.export({ respondentId })).json.responses[0].run).toEqual({ version: "2.4" });
    });

    it.each([
      ["a version of 65 characters", { version: "v".repeat(65) }, "/run/version"],
      ["17 facts", { facts: Object.fromEntries(runs(17).map((name) => [name, 1])) }, "/run/facts"],
      ["a text of 65 characters", { facts: { note: "x".repeat(65) } }, "/run/facts/note"],
      ["a nested value", { facts: { list: [1] } }, "/run/facts/list"],
      [
        "more than 512 bytes",
        { facts: Object.fromEntries(runs(9).map((name) => [name, "ü".repeat(30)])) },
        "/run/facts",
      ],
    ])("with %s is refused, and the refusal names the place", async (_what, run, pointer) => {
      const reply = await suite.client("sampled").mint({ respondentId: suite.newPerson(), run });
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_body"]);
      expect(reply.json.errors.map((one: { pointer: string }) => one.pointer)).toEqual([pointer]);
    });
  });

  describe("a survey that asks about some runs", () => {
    it("asks about the same runs again when they are minted again, by whichever person", async () => {
      const draw = async () => {
        const minted = await Promise.all(runs(40).map((sessionId) => mint({ sessionId, surveyId: "half" })));
        return minted.map(({ tokens }) => "half" in tokens);
      };
      const first = await draw();
      expect(await draw()).toEqual(first);
      expect(new Set(first).size).toBe(2);
    });

    it("says not_sampled of the runs that it leaves out", async () => {
      const minted = await Promise.all(runs(20).map((sessionId) => mint({ sessionId, surveyId: "half" })));
      for (const { tokens, reason } of minted) {
        expect(reason).toEqual("half" in tokens ? undefined : { half: "not_sampled" });
      }
    });

    it("decides independently of every other survey and of the observation's siblings", async () => {
      const minted = await Promise.all(runs(60).map((observationId) => mint({ observationId })));
      const kinds = minted.map(({ tokens }) => `${"half" in tokens} ${"other-half" in tokens}`);
      expect(new Set(kinds).size).toBe(4);
    });

    it.each([
      [failed, undefined],
      [{ facts: { steps: 10 } }, undefined],
      [{ facts: { steps: 9 } }, "not_sampled"],
      [{ facts: { outcome: "FAILED" } }, "not_sampled"],
      [undefined, "not_sampled"],
    ])("takes the first stratum that the run's facts match: %j", async (run, reason) => {
      const minted = await mint({ surveyId: "failures", run });
      expect(minted.reason?.failures).toBe(reason);
    });

    it("is left out before gating: a run that is not in the sample never counts as gated", async () => {
      const respondentId = suite.newPerson();
      const client = suite.client("sampled");
      const showToken = await client.boundToken("failures", { respondentId, run: failed });
      await client.submit({ showToken, surveyId: "failures", rating: 1 });
      const of = async (run?: object) =>
        (await client.mint({ respondentId, surveyId: "failures", run })).json.reason.failures;
      expect(await of(failed)).toBe("gated");
      expect(await of()).toBe("not_sampled");
    });

    it("is asked by minted tokens alone: bootstrap lists it without a token", async () => {
      const { json } = await suite.client("sampled").bootstrap(suite.newPerson());
      expect(Object.keys(json.showTokens)).toEqual([]);
      expect(json.surveys.map(({ id }: { id: string }) => id)).toContain("half");
      expect(JSON.stringify(json.surveys)).not.toContain("probability");
    });
  });
}

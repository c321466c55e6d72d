import { describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { type OpenWorld } from "./api-world.ts";
import { keysOf, project, survey } from "./projects.ts";

const plain = survey("words", { type: "csat", followUpQuestion: "Why?", presentation: "inline" });
const extensions = {
  followUpQuestions: { low: "What went wrong?", high: "What was best?" },
  suggestions: { low: ["Wrong", "Too slow"] },
  translations: { "pt-BR": { question: "Como foi?", suggestions: { low: ["Errado"] } } },
};

/** Optional additions to a survey's definition (contract, section "Extensions"). */
export function extensionsSuite(open: OpenWorld) {
  /** Runs one server after the other on one database, each with its survey. */
  const through = async (surveys: object[], look: (client: ApiClient, at: number) => Promise<void>) => {
    const world = await open();
    try {
      for (const [at, fields] of surveys.entries()) {
        const projects = [project("worded", { surveys: [{ ...plain, ...fields }] })];
        const api = await world.start({ rateLimits: false, projects });
        await look(new ApiClient(api.baseUrl, keysOf("worded")), at).finally(() => api.stop());
      }
    } finally {
      await world.dispose();
    }
  };

  const surveyOf = async (client: ApiClient) => (await client.bootstrap()).json.surveys[0];

  describe("extensions of a survey", () => {
    it("let a survey become one of thumbs, or no longer one, until it has answers", async () => {
      await through([{}, { thumbs: true }, {}, { thumbs: true }], async (client, at) => {
        expect((await surveyOf(client)).thumbs).toBe(at % 2 === 1 || undefined);
      });
      const change = (before: object, after: object) =>
        through([before, after], async (client) => void (await client.answer("words", "ann", { rating: 5 })));
      const refused =
        "projects[0].surveys[0].thumbs: cannot change once a survey has answers: make a new survey";
      await expect(change({}, { thumbs: true })).rejects.toThrow(refused);
      await expect(change({ thumbs: true }, {})).rejects.toThrow(refused);
      await expect(change({ thumbs: true }, { type: "nps" })).rejects.toThrow(refused);
    });

    it("raise the survey's version when they change; askAgain, unprompted and maximum do not", () => {
      const settings = { askAgain: { eachRun: true }, unprompted: true, maximum: 9 };
      const steps = [{}, settings, { ...extensions, ...settings }, extensions];
      const versions: number[] = [];
      return through(steps, async (client, at) => {
        const respondentId = `person ${at}`;
        await client.answer("words", respondentId);
        versions.push((await client.export({ respondentId })).json.responses[0].surveyVersion);
        expect(versions).toEqual([1, 1, 2, 2].slice(0, at + 1));
      });
    });
  });
}

import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { addProject, linked, response, token, type OpenedStore } from "./store-world.ts";

type Run = { version?: string; stratum?: string; facts?: Record<string, string | number | boolean> };

/** Each rating as it is. */
const values = new Map([["survey-1", Array.from({ length: 11 }, (_, rating) => rating)]]);

/** Answers by the version and stratum of their runs. */
export function runClassesSuite(opened: () => OpenedStore): void {
  const store = () => opened().store;

  async function projectWith(...answers: [respondentId: string | undefined, rating: number, run?: Run][]) {
    const projectId = await addProject(store());
    for (const [respondentId, rating, run] of answers)
      await store().submit(linked(projectId, { token: token(projectId), respondentId, rating, run }));
    return projectId;
  }

  describe("answers by the class of their run", () => {
    it("are counted if they were measured and given to minted tokens", async () => {
      const projectId = await projectWith(
        ["ada", 5, { version: "2.4", stratum: "failed" }],
        ["bob", 5, { version: "2.4", stratum: "failed" }],
        ["bob", 3, { version: "2.4" }],
        ["eve", 1],
      );
      await store().submit(response(projectId, { rating: 4 }));
      const imported = {
        id: randomUUID(),
        at: 1,
        projectId,
        surveyId: "survey-1",
        surveyVersion: 1,
        rating: 4,
      };
      await store().administration.importResponses([{ ...imported, respondentId: "imp_ada" }]);
      const tallies = await store().administration.readResults((reader) => reader.classes({ projectId }));
      const told = tallies.map(
        ({ version, stratum, counts }) => `${version} ${stratum}: ${counts.slice(0, 6).join("")}`,
      );
      expect(told.sort()).toEqual(["2.4 failed: 000002", "2.4 null: 000100", "null null: 010000"]);
    });

    it("add their residuals up by person, those of a class without residuals apart", async () => {
      const projectId = await projectWith(
        ["ada", 5, { version: "2.4", stratum: "failed" }],
        ["ada", 2, { version: "2.5" }],
        ["bob", 4, { version: "2.6" }],
        ["eve", 4, { version: "2.4", stratum: "other" }],
        [undefined, 3, { version: "2.5" }],
      );
      await store().submit(response(projectId, { rating: 4 }));
      const residuals = [
        { surveyId: "survey-1", stratum: "failed", version: "2.4", factor: 0.5, mean: 3 },
        { surveyId: "survey-1", stratum: null, version: "2.5", factor: 0.25, mean: 4 },
        // Of all other versions.
        { surveyId: "survey-1", stratum: null, factor: 1e-7, mean: 1 },
      ];
      await store().administration.readResults(async (reader) => {
        const [all] = await reader.tally({ projectId }, "none", values, residuals);
        // Ada: 0.5 * 2 - 0.25 * 2. Bob: 3e-7. The one without a name: -0.25.
        expect(all!.linearised.people).toBe(3);
        expect(all!.linearised.squares).toBeCloseTo(0.25 + 9e-14 + 0.0625, 15);
        const byVersion = await reader.tally({ projectId }, "version", values, residuals);
        const told = byVersion.map(({ key, linearised }) => `${key}: ${linearised.people}`);
        expect(told.sort()).toEqual(["2.4: 1", "2.5: 2", "2.6: 1", "null: 0"]);
        const [plain] = await reader.tally({ projectId }, "none", values);
        expect(plain!.linearised).toEqual({ people: 0, squares: 0 });
      });
    });

    it("are compared with those of a baseline by the people who answered for both", async () => {
      const projectId = await projectWith(
        ["ada", 5, { version: "2.4" }],
        ["ada", 3, { version: "2.4" }],
        ["ada", 4, { version: "2.5" }],
        ["bob", 4, { version: "2.4" }],
        ["bob", 5, { version: "2.6" }],
        ["eve", 1, { version: "2.5" }],
        [undefined, 1, { version: "2.4" }],
        [undefined, 1, { version: "2.5" }],
      );
      const of = (version: string, mean: number) => ({
        surveyId: "survey-1",
        stratum: null,
        version,
        factor: 1,
        mean,
      });
      const residuals = [of("2.4", 3), of("2.5", 2), of("2.6", 4)];
      const found = await store().administration.readResults((reader) =>
        reader.sharedWithBaseline({ projectId }, "2.4", values, residuals),
      );
      expect(found.sort((one, other) => (one.version < other.version ? -1 : 1))).toEqual([
        // Ada: 2 for the baseline, 2. Bob: 1 and 1.
        { surveyId: "survey-1", version: "2.5", people: 1, products: 4 },
        { surveyId: "survey-1", version: "2.6", people: 1, products: 1 },
      ]);
    });

    it("are grouped by the value of a fact, of whatever kind, and tell which facts there are", async () => {
      const projectId = await projectWith(
        ["ada", 5, { facts: { "outcome": "failed", "tool's calls": 3 } }],
        ["bob", 5, { facts: { "outcome": true, "tool's calls": 1.5 } }],
        ["eve", 4, { facts: { outcome: "failed" } }],
        ["eve", 1],
      );
      await store().administration.readResults(async (reader) => {
        const told = async (fact: string) => {
          const tallies = await reader.tally({ projectId }, { fact }, values);
          return tallies.map(({ key, people }) => `${key}: ${people.people}`).sort();
        };
        expect(await told("outcome")).toEqual(['"failed": 2', "null: 1", "true: 1"]);
        expect(await told("tool's calls")).toEqual(["1.5: 1", "3: 1", "null: 1"]);
        expect(await told("colour")).toEqual(["null: 3"]);
        expect(await reader.factNames({ projectId })).toEqual(["outcome", "tool's calls"]);
      });
    });
  });
}

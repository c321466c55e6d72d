import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { addProject, collected, linked, response, token, type OpenedStore } from "./store-world.ts";

type Dimension = "version" | "stratum" | "taskType" | "surveyVersion" | "identityKind" | { fact: string };
type Run = { version?: string; stratum?: string; facts?: Record<string, string | number | boolean> };

/** Answers with what is known of their runs. */
export function runClassesSuite(opened: () => OpenedStore): void {
  const store = () => opened().store;

  async function projectWith(...answers: [respondentId: string, rating: number, run?: Run][]) {
    const projectId = await addProject(store());
    for (const [respondentId, rating, run] of answers)
      await store().submit(linked(projectId, { token: token(projectId), respondentId, rating, run }));
    return projectId;
  }

  const read = (projectId: string, ...dimensions: Dimension[]) =>
    store().administration.readResults(async (reader) => {
      const rows = (await collected(reader.answers({ projectId }, dimensions))).flat();
      return rows.map(([person, mark, , surveyId, ...values]) => [person, mark, surveyId, ...values]);
    });

  describe("answers with their runs", () => {
    it("are marked as imported, and as of a run if they were measured and given to minted tokens", async () => {
      const projectId = await projectWith(
        ["ada", 5, { version: "2.4", stratum: "failed" }],
        ["bob", 3, { version: "2.4" }],
        ["eve", 1],
      );
      await store().submit(response(projectId, { rating: 4, respondentId: undefined }));
      const row = { id: randomUUID(), at: 1, projectId, surveyId: "survey-1", surveyVersion: 1, rating: 4 };
      await store().administration.importResponses([{ ...row, respondentId: "imp_ada" }]);
      const rows = await read(projectId, "version", "stratum");
      expect(rows.sort((one, other) => String(one[0]).localeCompare(String(other[0])))).toEqual([
        ["ada", 32 + 5, "survey-1", "2.4", "failed"],
        ["bob", 32 + 3, "survey-1", "2.4", null],
        ["eve", 32 + 1, "survey-1", null, null],
        ["imp_ada", 16 + 4, "survey-1", null, null],
        [null, 4, "survey-1", null, null],
      ]);
    });

    it("have task type, version of the survey and kind of identity", async () => {
      const projectId = await addProject(store());
      const known = { taskType: "refund", surveyVersion: 2, identityKind: "anon-device" as const };
      await store().submit(linked(projectId, { token: token(projectId), rating: 2, ...known }));
      const [row] = await read(projectId, "taskType", "surveyVersion", "identityKind");
      expect(row!.slice(3)).toEqual(["refund", 2, "anon-device"]);
    });

    it("have the value of a fact, of whatever kind, and tell which facts there are", async () => {
      const projectId = await projectWith(
        ["ada", 5, { facts: { "outcome": "failed", "tool's calls": 3 } }],
        ["bob", 5, { facts: { "outcome": true, "tool's calls": 1.5 } }],
        ["eve", 1],
      );
      const valuesOf = async (fact: string) =>
        (await read(projectId, { fact })).map((row) => String(row.at(-1))).sort();
      expect(await valuesOf("outcome")).toEqual(['"failed"', "null", "true"]);
      expect(await valuesOf("tool's calls")).toEqual(["1.5", "3", "null"]);
      expect(await valuesOf("colour")).toEqual(["null", "null", "null"]);
      const names = store().administration.readResults((reader) => reader.factNames({ projectId }));
      expect(await names).toEqual(["outcome", "tool's calls"]);
    });
  });
}

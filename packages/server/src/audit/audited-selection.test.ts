import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { auditedSelection } from "./audited-selection.ts";

const project = { id: "p", pepper: createSecretKey(Buffer.alloc(32, 1)) };

describe("the selectors in the audit log", () => {
  it("name a person by 132 bits of a hash that only the project's pepper gives", () => {
    const [hash] = auditedSelection(project, { respondentIds: ["ann"] }).respondents;
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(auditedSelection(project, { respondentIds: ["ann"] }).respondents).toEqual([hash]);
    expect(auditedSelection(project, { respondentIds: ["bob"] }).respondents).not.toEqual([hash]);
    const other = { id: "p", pepper: createSecretKey(Buffer.alloc(32, 2)) };
    expect(auditedSelection(other, { respondentIds: ["ann"] }).respondents).not.toEqual([hash]);
  });

  it("tell the whole project from a survey and from a person", () => {
    expect(auditedSelection(project, {})).toStrictEqual({
      projectId: "p",
      respondents: [],
      isWholeProject: true,
    });
    const survey = { projectId: "p", respondents: [], surveySlug: "nps", isWholeProject: false };
    expect(auditedSelection(project, { surveySlug: "nps" })).toEqual(survey);
    expect(auditedSelection(project, { respondentIds: ["ann"] }).isWholeProject).toBe(false);
  });
});

import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Project } from "@afterword/reference-server/internal";
import { auditedSelection } from "./audited-selection.ts";

const pepper = createSecretKey(Buffer.alloc(32, 1));
const project = { pepper, surveys: [{ id: "1", slug: "nps" }] } as unknown as Project;

describe("the selectors in the audit log", () => {
  it("name a person by 132 bits of a hash that only the project's pepper gives", () => {
    const [hash] = auditedSelection(project, { respondentId: "ann" }).respondents;
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(auditedSelection(project, { respondentId: "ann" }).respondents).toEqual([hash]);
    expect(auditedSelection(project, { respondentId: "bob" }).respondents).not.toEqual([hash]);
    const other = { ...project, pepper: createSecretKey(Buffer.alloc(32, 2)) };
    expect(auditedSelection(other, { respondentId: "ann" }).respondents).not.toEqual([hash]);
  });

  it("tell the whole project from a survey and from a person", () => {
    expect(auditedSelection(project, { account: "true" })).toStrictEqual({
      respondents: [],
      isWholeProject: true,
    });
    const survey = { respondents: [], surveySlug: "nps", isWholeProject: false };
    expect(auditedSelection(project, { surveySlug: "nps" })).toEqual(survey);
    expect(auditedSelection(project, { email: "ann@example.org" }).isWholeProject).toBe(false);
  });
});

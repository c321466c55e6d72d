import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Project } from "./project-directory.ts";
import { importedRespondentId } from "./respondent-hash.ts";
import { selectionOf } from "./selection.ts";

const pepper = createSecretKey(Buffer.alloc(32, 1));
const surveys = [
  { id: "1", slug: "nps" },
  { id: "2", slug: "csat" },
  { id: "3", slug: "nps", deletedAt: 1 },
];
const project = { pepper, surveys } as Project;
const email = "ann@example.org";
const select = selectionOf.bind(undefined, project);
const imported = importedRespondentId(pepper, email);

describe("the selectors of a privacy request", () => {
  it("choose everything when there are none", () => expect(select({})).toEqual({}));

  it("choose a person by id and by the address of an import, each once", () => {
    expect(select({ respondentId: "ann", email })).toEqual({ respondentIds: ["ann", imported] });
    expect(select({ respondentId: imported, email })).toEqual({ respondentIds: [imported] });
  });

  it("choose every survey with a slug, deleted ones too", () =>
    expect(select({ surveySlug: "nps" })).toEqual({ surveySlug: "nps", surveyIds: ["1", "3"] }));

  it("narrow a person's data to a survey", () =>
    expect(select({ respondentId: "ann", surveySlug: "csat" })).toEqual({
      respondentIds: ["ann"],
      surveySlug: "csat",
      surveyIds: ["2"],
    }));

  it("never choose everything for a slug that no survey has", () =>
    expect(() => select({ surveySlug: "gone" })).toThrow(
      expect.objectContaining({ code: "survey_not_found", status: 404 }),
    ));
});

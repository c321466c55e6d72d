import { describe, expect, it } from "vitest";
import { eraseQuery, exportQuery } from "./privacy.ts";

const accepts = (schema: typeof eraseQuery | typeof exportQuery, query: object) =>
  schema.safeParse(query).success;

describe("the selectors of an export and of an erasure", () => {
  it.each([exportQuery, eraseQuery])(
    "are refused when one is misspelt, so that it widens nothing",
    (schema) => {
      expect(accepts(schema, { respondentId: "ann" })).toBe(true);
      expect(accepts(schema, { respondentId: "ann", surveyslug: "nps" })).toBe(false);
    },
  );

  it("choose the whole project of an export when there are none, and nothing of an erasure", () => {
    expect(accepts(exportQuery, {})).toBe(true);
    expect(accepts(eraseQuery, {})).toBe(false);
    expect(accepts(eraseQuery, { respondentId: undefined })).toBe(false);
  });

  it.each([
    ["ann@example.org", true],
    [" ann@example.org ", true],
    ["ann@example.org".padEnd(320), true],
    ["ann@example.org".padEnd(321), false],
    ["ann", false],
    ["", false],
  ])("take an e-mail address, with spaces around it, 320 characters in all at most: %j", (email, accepted) =>
    expect(accepts(exportQuery, { email })).toBe(accepted),
  );

  it.each(["true", "1"])("erase the whole project with account=%s, and with nothing beside it", (account) => {
    expect(accepts(eraseQuery, { account })).toBe(true);
    expect(accepts(eraseQuery, { account, surveySlug: "nps" })).toBe(false);
    expect(accepts(eraseQuery, { account, surveySlug: undefined })).toBe(true);
  });

  it.each(["false", "0", ""])("do not erase the whole project with account=%j", (account) =>
    expect(accepts(eraseQuery, { account })).toBe(false),
  );
});

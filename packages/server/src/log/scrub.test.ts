import { describe, expect, it } from "vitest";
import { describeError, scrub } from "./scrub.ts";

describe("a text of an error loses", () => {
  it.each([
    ["keys", "refused aw_sk_4tQ9canary and aw_pk_1234", "refused [key] and [key]"],
    ["show-tokens", "bad st2.k9.AbC-_d09 here", "bad [token] here"],
    ["e-mail addresses", "no user ada.l+x@mail.example.com", "no user [e-mail]"],
    ["values that PostgreSQL quotes", "Key (respondent_id)=(ada) exists", "Key (respondent_id)=(…) exists"],
    [
      "values that the JSON parser quotes",
      'Unexpected token "I hated it" is not JSON',
      'Unexpected token "…" is not JSON',
    ],
    [
      "credentials of a database",
      "cannot reach postgres://me:secret@db/x",
      "cannot reach postgres://[credentials]@db/x",
    ],
    ["quoted values that are cut off", 'Unexpected token "I ha\\', 'Unexpected token "…"'],
  ])("%s", (_, text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed);
  });

  it("everything after 500 characters", () => {
    expect(scrub("x".repeat(10_000))).toHaveLength(501);
  });

  it("nothing else", () => {
    expect(scrub("SQLITE_BUSY: database is locked (5)")).toBe("SQLITE_BUSY: database is locked (5)");
  });
});

describe("an error in the log", () => {
  it("has its name, code, stack frames and causes, and no field in which drivers put parameters", () => {
    const cause = Object.assign(new Error("Key (email)=(ada@x.example)"), {
      detail: "canary",
      parameters: ["canary"],
    });
    const error = Object.assign(new Error("insert failed", { cause }), { code: "23505", detail: "canary" });
    const described = describeError(error);
    expect(described).toMatchObject({
      name: "Error",
      code: "23505",
      message: "insert failed",
      cause: { message: "Key (email)=(…)" },
    });
    expect(described["at"]).toEqual(expect.arrayContaining([expect.stringContaining("scrub.test.ts")]));
    expect(JSON.stringify(described)).not.toContain("canary");
  });

  it("that is not an Error shows only its type", () => {
    expect(describeError("canary")).toEqual({ name: "string" });
  });
});

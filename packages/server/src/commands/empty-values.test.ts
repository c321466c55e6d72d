import { describe, expect, it } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";
import { forgetEmptyVariables } from "./program.ts";

describe("an empty value", () => {
  it.each([
    [["serve", "--host", ""], "option '--host <host>' is empty"],
    [["serve", "--admin-host", ""], "option '--admin-host <host>' is empty"],
    [["project", "list", "--db", ""], "option '--db <database>' is empty"],
    [["project", "create", "shop", "--name", ""], "option '--name <name>' is empty"],
    [["subject-report", "shop", "--respondent", ""], "option '--respondent <id>' is empty"],
    [["restore", "copy.db", "--erasure-log", ""], "option '--erasure-log <file>' is empty"],
    [["backup", ""], "an argument is empty"],
  ])("of a flag or argument is refused: %j", async (words, message) => {
    using server = new AfterwordServer();
    const { code, error, out } = await server.runWords(words);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain(message);
  });

  it("of a variable counts as unset; other programs' variables stay", () => {
    const environment = { AFTERWORD_HOST: "", AFTERWORD_PORT: "1", OTHER: "" };
    forgetEmptyVariables(environment);
    expect(environment).toEqual({ AFTERWORD_PORT: "1", OTHER: "" });
  });
});

import { Command, CommanderError } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { CannotListen } from "@afterword/command-line/start-listening";
import { InvalidConfig, Refusal, StoreUnavailable, UsageError } from "@afterword/reference-server/internal";
import { exitCodeOf, runProgram } from "./program.ts";
import { table } from "./table.ts";
import { confirm, progressOf, type Terminal } from "./terminal.ts";

function terminal(rest: Partial<Terminal> = {}) {
  const lines: string[] = [];
  const shown: string[] = [];
  const complain = (line: string) => void lines.push(line);
  const showProgress = (text: string) => void shown.push(text);
  const clock = { now: () => 0 };
  return { lines, shown, terminal: { complain, showProgress, clock, ...rest } as Terminal };
}

describe("the exit code", () => {
  it.each([
    [1, "a fault", new TypeError("x is undefined")],
    [2, "a mistake in a file", new InvalidConfig([{ path: "a", message: "is wrong" }])],
    [2, "a mistake in the flags", new CommanderError(1, "commander.unknownOption", "unknown option")],
    [0, "help that was asked for", new CommanderError(0, "commander.help", "help")],
    [3, "what cannot be done", new UsageError("no such project")],
    [3, "what the domain refuses", new Refusal("survey_not_found")],
    [4, "a database that cannot answer", new StoreUnavailable("it is busy")],
  ])("is %i for %s", (code, _, error) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});

describe("an error", () => {
  async function told(error: unknown) {
    const codes: number[] = [];
    const { lines, terminal: of } = terminal({ setExitCode: (code) => void codes.push(code) });
    const program = new Command("p").action(() => {
      throw error;
    });
    await runProgram(program, [], of);
    return { lines, codes };
  }

  it("is printed as it is when it was expected", async () => {
    expect(await told(new UsageError("There is no project."))).toEqual({
      lines: ["There is no project."],
      codes: [3],
    });
  });

  it("is not called a failure when the port is in use", async () => {
    const code = Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE" });
    const flags = { host: "--host", port: "--port" };
    const { lines, codes } = await told(new CannotListen(code, { host: "::1", port: 8787, flags }));
    expect([lines[0], codes]).toEqual([expect.stringMatching(/^Port 8787 on ::1 is in use/), [1]]);
  });

  it("lists every path of an invalid file", async () => {
    const mistakes = [
      { path: "surveys[0].slug", message: "is missing" },
      { path: "", message: "is empty" },
    ];
    const { lines } = await told(new InvalidConfig(mistakes));
    expect(lines).toEqual(["Invalid input:", "  surveys[0].slug: is missing", "  file: is empty"]);
  });

  it("is called a failure when it was unexpected", async () => {
    expect((await told(new TypeError("x is undefined"))).lines).toEqual(["Failed: x is undefined"]);
  });
});

describe("a confirmation", () => {
  it("is not asked for with --yes", async () => {
    const of = terminal({ ask: () => expect.fail() }).terminal;
    await confirm({ ...of, flags: { yes: true } }, "All will go.", "go");
  });

  it("accepts the word with spaces around it, and nothing else", async () => {
    const asking = (answer: string) => ({ ...terminal({ ask: async () => answer }).terminal, flags: {} });
    await confirm(asking(" go \n"), "All will go.", "go");
    for (const answer of ["", "y", "yes", "GO", "gone"]) {
      await expect(confirm(asking(answer), "All will go.", "go")).rejects.toThrow("Nothing was changed.");
    }
  });
});

describe("progress", () => {
  it("is shown at most ten times a second", () => {
    let now = 0;
    const { shown, terminal: of } = terminal({ clock: { now: () => now } });
    const show = progressOf(of, "Copying");
    for (; now < 1000; now += 10) show(now, 1000);
    expect(shown).toHaveLength(10);
    expect(shown.at(-1)).toBe(`Copying ${"█".repeat(22)}░░ 90 %`);
  });

  it("is a count when the total is unknown", () => {
    const { shown, terminal: of } = terminal();
    progressOf(of, "Checking lines:")(12_345);
    expect(shown).toEqual(["Checking lines: 12,345"]);
  });
});

describe("a table", () => {
  it("has columns as wide as their widest cell, and a dash for missing cells", () => {
    const rows = [
      ["a", "löng name"],
      ["bcd", undefined],
      ["", "x"],
    ];
    expect(table(["id", "name"], rows).split("\n")).toEqual([
      "ID   NAME",
      "a    löng name",
      "bcd  -",
      "-    x",
    ]);
  });
});

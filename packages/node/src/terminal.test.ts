import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AfterwordRespondent, type Ask } from "./index.ts";
import {
  followUpSurvey,
  startTestService,
  thumbsSurvey,
  type TestService,
  translatedSurvey,
} from "./client/service.fixture.ts";
import { runInShell } from "./commands/shell.fixture.ts";
import { askInTerminal } from "./terminal.ts";

let service: TestService;
beforeAll(
  async () => void (service = await startTestService([followUpSurvey, thumbsSurvey, translatedSurvey])),
);
afterAll(() => service[Symbol.asyncDispose]());

let people = 0;

async function anAsk(slug = "csat", language?: string): Promise<Ask> {
  people += 1;
  const { publishableKey, url: baseUrl } = service;
  const person = new AfterwordRespondent({ publishableKey, baseUrl, userId: `terminal-${people}`, language });
  return (await person.nextAsk({ slug }))!;
}

/** A terminal in which these lines are typed. */
async function type(ask: Ask, ...lines: string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(lines.map((line) => `${line}\n`).join(""));
  const result = await askInTerminal(ask, { input, output });
  output.end();
  let shown = "";
  for await (const chunk of output) shown += String(chunk);
  return { result, shown };
}

async function storedFor(ask: Ask) {
  const rows = [];
  const respondentId = `terminal-${people}`;
  for await (const row of service.client().privacy.export({ respondentId })) rows.push(row);
  expect(ask.survey).toBeDefined();
  return rows;
}

describe("askInTerminal", () => {
  it("shows the question with its scale, stores the rating and the words, and thanks", async () => {
    const ask = await anAsk("follow-up");
    const { result, shown } = await type(ask, "5", "It found the file at once.");
    expect(result).toEqual({ outcome: "answered", rating: 5, text: "It found the file at once." });
    expect(shown).toContain("How easy was it?");
    expect(shown).toContain("1 Very hard to 7 Very easy, Enter to skip:");
    expect(shown).toContain("What made it so?");
    expect(shown).toContain("Thank you.");
    expect(await storedFor(ask)).toEqual([
      expect.objectContaining({ rating: 5, text: "It found the file at once." }),
    ]);
  });

  it("takes an empty line behind the rating for no words", async () => {
    const ask = await anAsk("follow-up");
    expect((await type(ask, "3", "")).result).toEqual({ outcome: "answered", rating: 3 });
    expect(await storedFor(ask)).toEqual([expect.objectContaining({ rating: 3, text: null })]);
  });

  it("takes an empty line for a dismissal", async () => {
    const ask = await anAsk();
    expect((await type(ask, "")).result).toEqual({ outcome: "dismissed" });
    await expect(ask.submit({ rating: 5 })).rejects.toThrow("has already begun to dismiss");
  });

  it.each(["6", "0", "five", "4.5", "0x5", "1e0", "-1"])(
    "asks again when it does not understand %j",
    async (line) => {
      const { result, shown } = await type(await anAsk(), line, "4");
      expect(result).toEqual({ outcome: "answered", rating: 4 });
      expect(shown).toContain("Please type a whole number from 1 to 5.");
    },
  );

  it("offers down and up of a survey of thumbs, and takes nothing between", async () => {
    const ask = await anAsk("thumbs");
    const { result, shown } = await type(ask, "3", "5");
    expect(shown).toContain("  1 down or 5 up, Enter to skip: ");
    expect(shown).toContain("Please type 1 (down) or 5 (up).");
    expect(result).toEqual({ outcome: "answered", rating: 5 });
    const again = await anAsk("thumbs");
    await expect(again.submit({ rating: 2 })).rejects.toThrow("The rating must be 1 (down) or 5 (up).");
  });

  it("asks in the language of the client, and about what fits the rating", async () => {
    const ask = await anAsk("translated", "de-AT");
    const { result, shown } = await type(ask, "2", "2");
    expect(shown).toContain("\nWie gut war der Agent?\n  1 Schlecht to 5 Well, Enter to skip: ");
    expect(shown).toContain(
      "Was ging schief?\n  1 Zu langsam\n  2 Falsch verstanden\n  Your own words, or a number;",
    );
    expect(result).toEqual({ outcome: "answered", rating: 2, text: "Falsch verstanden" });
    expect(await storedFor(ask)).toEqual([expect.objectContaining({ rating: 2, text: "Falsch verstanden" })]);
  });

  it("asks in the language that the command is told", async () => {
    const flags = ["--publishable-key", service.publishableKey, "--slug", "translated", "--language", "de"];
    const run = await runInShell(["ask", "--base-url", service.url, ...flags], { input: "\n" });
    expect(run.errors).toContain("Wie gut war der Agent?");
  });

  it("asks in the survey's own words without a language, or in one that it has no translation for", async () => {
    for (const language of [undefined, "fr"]) {
      const { result, shown } = await type(await anAsk("translated", language), "1", "3");
      expect(shown).toContain("How well did the agent do?");
      expect(shown).toContain("What went wrong?\n  1 Too slow\n");
      expect(result).toMatchObject({ text: "3" });
    }
  });

  it("asks the general question, without suggestions, about a rating in the middle", async () => {
    const { shown } = await type(await anAsk("translated"), "3", "");
    expect(shown).toContain("What made it so?\n  Enter to skip: ");
  });

  it("gives up after three lines that it does not understand, and sends nothing", async () => {
    const ask = await anAsk();
    expect((await type(ask, "a", "b", "c")).result).toEqual({ outcome: "unanswered" });
    expect(await storedFor(ask)).toEqual([]);
  });

  it("sends nothing when the input ends, or when there is no terminal", async () => {
    expect((await type(await anAsk())).result).toEqual({ outcome: "unanswered" });
    expect(await askInTerminal(await anAsk())).toEqual({ outcome: "unanswered" });
  });

  it("writes no control characters of a survey's texts to the terminal", async () => {
    const ask = await anAsk();
    ask.survey.question = "Fine?\u001B[2J\u0007";
    expect((await type(ask, "4")).shown).toContain("Fine? [2J ");
  });
});

// @vitest-environment node
import { describe, expect, it } from "vitest";
import { start } from "../../../fixtures/start.ts";
import { useService } from "../../../fixtures/test-service.ts";
import type { AfterwordOptions } from "../public/index.ts";

const service = useService();

const startWith = (options: object = {}) => start(service.url, options as Partial<AfterwordOptions>);

describe("a user id from a database", () => {
  it.each([
    [42, "42"],
    [0, "0"],
    [-7, "-7"],
    [2 ** 53 - 1, "9007199254740991"],
    [42n, "42"],
    [2n ** 63n, "9223372036854775808"],
  ])("that is the whole number %s becomes text", async (userId, text) => {
    const { afterword, tab, events } = startWith();
    afterword.identify(userId, { plan: "pro" });
    expect(afterword.respondent()).toEqual({ id: text, kind: "identified" });
    await tab.settle();
    expect(tab.sent("/v1/sdk/bootstrap").at(-1)!.body).toMatchObject({ userId: text });
    expect(events.error).toEqual([]);
  });

  it("gives one warning, which does not quote it", async () => {
    const { afterword, tab } = startWith();
    for (const userId of [42, 42, 43n]) afterword.identify(userId);
    await tab.settle();
    expect(tab.warnings).toHaveLength(1);
    expect(tab.warnings[0]).toContain("userId is a number and taken as text");
    expect(tab.warnings[0]).not.toContain("42");
  });

  it("that is text gives none, and the same number is the same person", async () => {
    const { afterword, tab } = startWith();
    afterword.identify("42");
    await tab.settle();
    expect(tab.warnings).toEqual([]);
    afterword.identify(42);
    await tab.settle();
    expect(tab.sent("/v1/sdk/bootstrap")).toHaveLength(1);
  });
});

describe("what is no user id", () => {
  it.each<[unknown, string]>([
    [NaN, "NaN"],
    [1.5, "number"],
    [Infinity, "number"],
    [2 ** 53, "number"],
    [true, "boolean"],
    [{ id: 42 }, "object"],
    [[42], "object"],
    [new Date(0), "object"],
    [null, "null"],
    [undefined, "undefined"],
    ["", "empty text"],
    [() => "42", "function"],
  ])("names nobody and is one line in the console, with a listener too: %s", async (userId, kind) => {
    const { afterword, tab, events } = startWith();
    afterword.identify(userId as string);
    await tab.settle();
    expect(afterword.respondent()!.kind).toBe("anon-conversation");
    expect(tab.warnings).toEqual([expect.stringContaining(`(got ${kind})`)]);
    expect(events.error).toMatchObject([
      { code: "invalid_argument", message: expect.stringContaining("userId must be text or a whole number") },
    ]);
  });
});

describe("a conversation's id", () => {
  it("that is a whole number becomes text", async () => {
    const { tab, events } = startWith({ conversationId: 42 });
    await tab.settle();
    expect(tab.sent("/v1/sdk/bootstrap")[0]!.body["userId"]).toBe("42");
    expect(events.error).toEqual([]);
  });

  it("that is none leaves the person anonymous and is reported", async () => {
    const { tab, events } = startWith({ conversationId: { id: 42 } });
    await tab.settle();
    expect(tab.sent("/v1/sdk/bootstrap")[0]!.body["userId"]).toMatch(/^\d+-\d+-/);
    expect(events.error).toMatchObject([
      {
        message: expect.stringContaining(
          "conversationId (data-conversation-id) takes text or a whole number, not object",
        ),
      },
    ]);
  });
});

describe("a boolean option", () => {
  /** Whether a page with this option asks no one who does not open a survey. */
  async function isMuted(muted: unknown) {
    const { tab, whyNot, events } = startWith({ muted });
    await tab.settle();
    return [whyNot("by-itself") === "muted", events.error.length];
  }

  it.each([true, "", "true", "True", "muted", "data-muted", " true "])("is set by %j", async (value) => {
    expect(await isMuted(value)).toEqual([true, 0]);
  });

  it.each([false, undefined, null, "false", "False", "FALSE"])("is not set by %j", async (value) => {
    expect(await isMuted(value)).toEqual([false, 0]);
  });

  it.each(["0", "no", "off", "None", "{{ muted }}"])("counts as set by %j, with a warning", async (value) => {
    expect(await isMuted(value)).toEqual([true, 1]);
  });

  it.each([
    [{ test: "" }, true],
    [{ test: "false" }, false],
    [{ testMode: "true" }, true],
    [{ testMode: "false" }, false],
    [{}, false],
  ])("test mode is named test, too: %j", async (options, isPractice) => {
    const { ask, tab } = startWith(options);
    await (await ask("when-asked"))!.submit({ rating: 5 });
    expect(tab.sent("/v1/sdk/responses")).toHaveLength(isPractice ? 0 : 1);
  });
});

// @vitest-environment node
import type { SurveyDefinition } from "@afterword/protocol";
import type { RunningServer } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newPerson, start } from "../../fixtures/start.ts";
import type { TestPageOptions } from "../../fixtures/test-page.ts";
import { mint, startService, storedFor } from "../../fixtures/test-service.ts";
import type { AfterwordOptions } from "../core/options.ts";
import { createThumbs, type ThumbsOptions } from "./create-thumbs.ts";

let service: RunningServer;
beforeAll(async () => void (service = await startService(undefined, undefined, [worded])));
afterAll(() => service.close());

const worded: SurveyDefinition & { status: "active" } = {
  id: "worded",
  slug: "in-words",
  type: "csat",
  question: "Did it help?",
  presentation: "corner",
  trigger: "manual",
  status: "active",
  suggestions: { low: ["Wrong file", "Too slow"], high: ["Quick"] },
  translations: { "de": { suggestions: { low: ["Falsche Datei"] } }, "pt-BR": { question: "Ajudou?" } },
};

const responses = "/v1/sdk/responses";
const lost: TestPageOptions["fault"] = (path) => (path === responses ? "lost" : undefined);

/** Thumbs on a run of a person of their own. */
async function opened(
  options: Partial<ThumbsOptions> = {},
  pageOptions: TestPageOptions = {},
  survey = "inline",
  clientOptions: Partial<AfterwordOptions> = {},
) {
  const person = newPerson();
  const started = start(service.url, clientOptions, pageOptions);
  started.afterword.identify(person);
  const { token, ...run } = await mint(service, survey, person, `run-of-${person}`);
  const getToken = vi.fn<() => string | Promise<string>>(() => token);
  const thumbs = createThumbs(started.afterword.rate, { ...run, getToken, ...options });
  await started.tab.settle();
  const stored = () => storedFor(service, person);
  return { ...started, thumbs, getToken, stored, stage: () => thumbs.getState().stage };
}

describe("a vote", () => {
  it.each([
    ["up", 5],
    ["down", 1],
  ] as const)("%s is a rating of %i, sent after four seconds, and fixed then", async (vote, rating) => {
    const { thumbs, tab, stored, stage } = await opened();
    thumbs.press(vote);
    await tab.advance(3999);
    expect([stage(), await stored()]).toEqual(["held", []]);
    await tab.advance(1);
    expect(stage()).toBe("stored");
    thumbs.press("up");
    thumbs.press("down");
    await tab.advance(10_000);
    expect(await stored()).toMatchObject([{ rating }]);
  });

  it("can be changed until it is sent", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("up");
    await tab.advance(3000);
    thumbs.press("down");
    await tab.advance(3999);
    expect(await stored()).toEqual([]);
    await tab.advance(1);
    expect(await stored()).toMatchObject([{ rating: 1 }]);
  });

  it("can be withdrawn by the same thumb, and given again", async () => {
    const { thumbs, tab, stored, stage } = await opened();
    thumbs.press("up");
    await tab.settle();
    thumbs.press("up");
    await tab.advance(60_000);
    expect([stage(), thumbs.getState().vote, await stored()]).toEqual(["open", undefined, []]);
    thumbs.press("up");
    await tab.advance(4000);
    expect(await stored()).toHaveLength(1);
  });

  it("cannot be changed while it is on its way", async () => {
    const { thumbs, tab, stage, stored } = await opened({ holdInMs: 1 });
    thumbs.press("up");
    await tab.settle();
    tab.fire("visibilitychange");
    const seen: string[] = [];
    thumbs.subscribe(() => {
      seen.push(stage());
      if (stage() === "sending") thumbs.press("down");
    });
    await tab.advance(1);
    expect(seen).toEqual(["sending", "stored"]);
    expect(await stored()).toMatchObject([{ rating: 5 }]);
  });

  it("is sent at once when the control goes away", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("up");
    thumbs.leave();
    await tab.settle();
    expect(await stored()).toHaveLength(1);
    await tab.advance(10_000);
    expect(tab.sent(responses)).toHaveLength(1);
  });

  it("is sent at once when the page is left", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("down");
    await tab.settle();
    tab.fire("pagehide");
    await tab.settle();
    expect(await stored()).toHaveLength(1);
  });

  it("that cannot be sent yet says so, and says thanks once it is stored", async () => {
    let isOffline = true;
    const { thumbs, tab, stage } = await opened(
      {},
      { fault: (...given) => (isOffline ? lost(...given) : undefined) },
    );
    thumbs.press("up");
    await tab.advance(4000);
    expect([stage(), thumbs.getState().isFixed]).toEqual(["queued", true]);
    isOffline = false;
    tab.fire("online");
    await tab.settle();
    expect(stage()).toBe("stored");
  });

  it("earlier is shown, and fixed", async () => {
    const { thumbs, tab } = await opened({ value: "down" });
    thumbs.press("up");
    thumbs.leave();
    await tab.advance(10_000);
    expect(thumbs.getState()).toMatchObject({ vote: "down", stage: "earlier", isFixed: true });
    expect(tab.sent(responses)).toEqual([]);
  });

  it("on a survey that is not csat is withdrawn, with an error that names the survey", async () => {
    const { thumbs, tab, told, stored, stage } = await opened({}, {}, "manual");
    thumbs.press("up");
    await tab.advance(10_000);
    expect([stage(), await stored()]).toEqual(["refused", []]);
    expect(told.error.map(({ message }) => message)).toEqual(["survey manual is nps and not csat"]);
  });
});

describe("the token", () => {
  it("is asked for at the first press, and once however often the vote changes", async () => {
    const { thumbs, tab, getToken } = await opened();
    expect(getToken).not.toHaveBeenCalled();
    for (const vote of ["up", "down", "up"] as const) thumbs.press(vote);
    await tab.advance(4000);
    expect(getToken).toHaveBeenCalledTimes(1);
  });

  it("that cannot be had refuses the vote with an error event, and the next press asks anew", async () => {
    const answers = [() => Promise.reject(new Error("HTTP 503"))];
    const { thumbs, tab, told, stage, stored, getToken } = await opened();
    getToken.mockImplementationOnce(answers[0]!);
    thumbs.press("up");
    await tab.advance(4000);
    expect([stage(), thumbs.getState().vote]).toEqual(["refused", undefined]);
    expect(told.error).toMatchObject([{ message: "Error: HTTP 503" }]);
    thumbs.press("up");
    await tab.advance(4000);
    expect(await stored()).toHaveLength(1);
  });
});

describe("the line beside a bad answer", () => {
  it("holds the vote while there is text, and sends both at once", async () => {
    const { thumbs, tab, stored, stage } = await opened();
    thumbs.press("down");
    thumbs.write("It made up a file");
    await tab.advance(600_000);
    expect([stage(), await stored()]).toEqual(["held", []]);
    thumbs.send();
    await tab.settle();
    expect(await stored()).toMatchObject([{ rating: 1, text: "It made up a file" }]);
  });

  it("left empty sends the vote alone, four seconds later", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("down");
    thumbs.write("", true);
    await tab.advance(60_000);
    thumbs.write("");
    await tab.advance(3999);
    expect(await stored()).toEqual([]);
    await tab.advance(1);
    expect(await stored()).toMatchObject([{ rating: 1, text: null }]);
  });

  it("that was not sent is not sent when the page is left; the vote is", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("down");
    thumbs.write("unfinished");
    await tab.settle();
    tab.fire("pagehide");
    await tab.settle();
    expect(await stored()).toMatchObject([{ rating: 1, text: null }]);
  });
});

describe("the reasons of a bad answer", () => {
  const reasonsOf = async (survey: string, options?: Partial<ThumbsOptions>, language?: string) => {
    const { thumbs, tab } = await opened(options, {}, survey, { language });
    thumbs.press("down");
    await tab.settle();
    return thumbs.getState().reasons;
  };

  it.each([
    ["", ["Wrong file", "Too slow"]],
    ["de-AT", ["Falsche Datei"]],
    ["pt-BR", ["Wrong file", "Too slow"]],
    ["fr", ["Wrong file", "Too slow"]],
  ])("are those that the survey has for the reader's language: %j", async (language, reasons) => {
    expect(await reasonsOf("worded", { language })).toEqual(reasons);
    expect(await reasonsOf("worded", {}, language)).toEqual(reasons);
  });

  it("are none where the survey has none", async () => {
    expect(await reasonsOf("inline")).toEqual([]);
  });

  it("are asked for at the first press: before it there is no request", async () => {
    const { thumbs, tab } = await opened({}, {}, "worded");
    const before = tab.requests.length;
    expect(thumbs.getState().reasons).toBeUndefined();
    thumbs.press("down");
    await tab.settle();
    // The definitions were there.
    expect(tab.requests).toHaveLength(before);
  });

  it("are those of a bad answer also if the first press was up", async () => {
    const { thumbs, tab } = await opened({}, {}, "worded");
    thumbs.press("up");
    await tab.settle();
    thumbs.press("down");
    expect(thumbs.getState().reasons).toEqual(["Wrong file", "Too slow"]);
  });

  it("wait for no token", async () => {
    const { thumbs, tab } = await opened({ getToken: () => new Promise(() => {}) }, {}, "worded");
    thumbs.press("down");
    await tab.settle();
    expect(thumbs.getState().reasons).toEqual(["Wrong file", "Too slow"]);
  });

  it("are none without the definition, and stay so when it arrives later; the vote is sent all the same", async () => {
    let isDown = true;
    const fault: TestPageOptions["fault"] = (path) =>
      isDown && path === "/v1/sdk/bootstrap" ? "lost" : undefined;
    const { thumbs, tab, stored } = await opened({}, { fault }, "worded");
    thumbs.press("down");
    await tab.settle();
    expect(thumbs.getState().reasons).toEqual([]);
    isDown = false;
    thumbs.press("up");
    thumbs.press("down");
    await tab.advance(4000);
    expect(thumbs.getState().reasons).toEqual([]);
    expect(await stored()).toMatchObject([{ rating: 1 }]);
  });
});

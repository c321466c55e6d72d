// @vitest-environment node
import type { SurveyDefinition } from "@afterword/protocol";
import type { RunningServer } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newPerson, start } from "../../fixtures/start.ts";
import { aDevice, type TestPageOptions } from "../../fixtures/test-page.ts";
import { mint, startService, storedFor } from "../../fixtures/test-service.ts";
import type { AfterwordOptions } from "../core/public/options.ts";
import { createThumbs, type Thumbs, type ThumbsOptions } from "./create-thumbs.ts";

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
  const settings = { ...run, getToken, ...options } as ThumbsOptions;
  const thumbs = createThumbs(started.afterword.rate, settings, () => started.tab.now);
  await started.tab.settle();
  const stored = () => storedFor(service, person);
  return { ...started, thumbs, getToken, stored, stage: () => thumbs.getState().stage };
}

/** Thumbs on a run of a person of their own, handed over with the tokens of these surveys. */
async function openedWith(
  surveys: string[],
  options: Partial<ThumbsOptions> = {},
  pageOptions: TestPageOptions = {},
) {
  const person = newPerson();
  const started = start(service.url, {}, pageOptions);
  started.afterword.identify(person);
  const minted = await Promise.all(surveys.map((id) => mint(service, id, person, `run-of-${person}`)));
  const tokens = Object.fromEntries(minted.map(({ surveyId, token }) => [surveyId, token]));
  const run = { tokens, sessionId: `run-of-${person}`, ...options } as ThumbsOptions;
  const thumbs = createThumbs(started.afterword.rate, run, () => started.tab.now);
  await started.tab.settle();
  const stored = () => storedFor(service, person);
  return { ...started, thumbs, stored, stage: () => thumbs.getState().stage };
}

describe("a vote", () => {
  it.each([
    ["up", 5, 4000],
    ["down", 1, 20_000],
  ] as const)("%s is a rating of %i, sent after %i ms, and fixed then", async (vote, rating, holdInMs) => {
    const { thumbs, tab, stored, stage } = await opened();
    thumbs.press(vote);
    expect(thumbs.getState().heldUntil).toBe(tab.now + holdInMs);
    await tab.advance(holdInMs - 1);
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
    thumbs.press("down");
    await tab.advance(3000);
    thumbs.press("up");
    await tab.advance(3999);
    expect(await stored()).toEqual([]);
    await tab.advance(1);
    expect(await stored()).toMatchObject([{ rating: 5 }]);
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
    const { thumbs, tab, events, stored, stage } = await opened({}, {}, "manual");
    thumbs.press("up");
    await tab.advance(10_000);
    expect([stage(), await stored()]).toEqual(["refused", []]);
    expect(events.error.map(({ message }) => message)).toEqual(["survey manual is nps and not csat"]);
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
    const { thumbs, tab, events, stage, stored, getToken } = await opened();
    getToken.mockImplementationOnce(answers[0]!);
    thumbs.press("up");
    await tab.advance(4000);
    expect([stage(), thumbs.getState().vote]).toEqual(["refused", undefined]);
    expect(events.error).toMatchObject([{ message: "Error: HTTP 503" }]);
    thumbs.press("up");
    await tab.advance(4000);
    expect(await stored()).toHaveLength(1);
  });

  it("that the service refused is dropped: the next press asks for another", async () => {
    const { thumbs, tab, getToken, stage, stored } = await opened();
    getToken.mockReturnValueOnce("not-a-token");
    thumbs.press("up");
    await tab.advance(4000);
    expect(stage()).toBe("refused");
    thumbs.press("up");
    await tab.advance(4000);
    expect([getToken.mock.calls.length, await stored()]).toMatchObject([2, [{ rating: 5 }]]);
  });
});

describe("a run with the tokens of several surveys", () => {
  it("is voted on by its only csat survey, and nothing is asked for to find it", async () => {
    const { thumbs, tab, stored } = await openedWith(["manual", "inline"]);
    thumbs.press("up");
    await tab.advance(4000);
    expect(await stored()).toMatchObject([{ surveyId: "inline", rating: 5 }]);
    expect(tab.sent("/v1/sdk/bootstrap")).toHaveLength(1);
  });

  it.each<[string, string[], string]>([
    ["two of csat", ["inline", "worded"], "inline (csat), worded (csat)"],
    ["none of csat", ["manual", "late"], "manual (nps), late (ces)"],
    ["one that no longer exists", ["gone", "manual"], "gone (unknown), manual (nps)"],
  ])("%s: an error event names the surveys, at once, and a vote is refused", async (_, surveys, names) => {
    const { thumbs, events, tab, stage, stored } = await openedWith(surveys);
    const message = `pass surveyId: the run has tokens of ${names}`;
    expect(events.error.map((error) => error.message)).toEqual([message]);
    thumbs.press("up");
    await tab.advance(4000);
    expect([stage(), await stored()]).toEqual(["refused", []]);
  });

  it("of two that fit, the page names one", async () => {
    const { thumbs, tab, stored, events } = await openedWith(["inline", "worded"], { surveyId: "worded" });
    thumbs.press("down");
    thumbs.leave();
    await tab.settle();
    expect([events.error, await stored()]).toMatchObject([[], [{ surveyId: "worded" }]]);
  });

  it("is voted on although the service did not answer at first", async () => {
    let isDown = true;
    const fault: TestPageOptions["fault"] = () => (isDown ? "lost" : undefined);
    const { thumbs, tab, stored } = await openedWith(["manual", "inline"], {}, { fault });
    isDown = false;
    await tab.advance(60_000);
    thumbs.press("up");
    await tab.advance(4000);
    expect(await stored()).toMatchObject([{ surveyId: "inline" }]);
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

  it("is open while the person is busy with it, four seconds longer, and at least twenty; then the vote is sent", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("down");
    thumbs.write("", true);
    await tab.advance(5000);
    thumbs.write("");
    await tab.advance(14_999);
    expect(await stored()).toEqual([]);
    thumbs.write("", true);
    await tab.advance(60_000);
    thumbs.write("");
    await tab.advance(3999);
    expect(await stored()).toEqual([]);
    await tab.advance(1);
    expect(await stored()).toMatchObject([{ rating: 1, text: null }]);
  });

  it("is open for as long as the page says", async () => {
    const { thumbs, tab, stored } = await opened({ lineInMs: 5000 });
    thumbs.press("down");
    await tab.advance(4999);
    expect(await stored()).toEqual([]);
    await tab.advance(1);
    expect(await stored()).toHaveLength(1);
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

describe("a chosen reason", () => {
  it("is an answer: it is sent with the vote, without Send, and before the text with it", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("down");
    for (const reason of ["Too slow", "Wrong file", "Too slow"]) thumbs.choose(reason);
    thumbs.choose("Unclear");
    expect(thumbs.getState().chosen).toEqual(["Wrong file", "Unclear"]);
    await tab.advance(20_000);
    expect(await stored()).toMatchObject([{ rating: 1, text: "Wrong file, Unclear" }]);
    const sent = await opened();
    sent.thumbs.press("down");
    sent.thumbs.write("It made up a file");
    sent.thumbs.choose("Wrong file");
    sent.thumbs.send();
    await sent.tab.settle();
    expect(await sent.stored()).toMatchObject([{ text: "Wrong file, It made up a file" }]);
  });

  it("is sent when the page is left, and the unfinished text is not", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("down");
    thumbs.write("unfin");
    thumbs.choose("Too slow");
    await tab.settle();
    tab.fire("pagehide");
    await tab.settle();
    expect(await stored()).toMatchObject([{ rating: 1, text: "Too slow" }]);
  });

  it("belongs to its vote: with a good answer it is gone", async () => {
    const { thumbs, tab, stored } = await opened();
    thumbs.press("down");
    thumbs.choose("Too slow");
    thumbs.press("up");
    await tab.advance(4000);
    expect(await stored()).toMatchObject([{ rating: 5, text: null }]);
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
    await tab.advance(20_000);
    expect(thumbs.getState().reasons).toEqual([]);
    expect(await stored()).toMatchObject([{ rating: 1 }]);
  });
});

it("a token that never comes releases the vote after 15 seconds, and the next press asks for it anew", async () => {
  const { thumbs, tab, getToken, stage, stored } = await opened();
  getToken.mockReturnValueOnce(new Promise<string>(() => {}));
  thumbs.press("up");
  await tab.advance(15_000);
  expect(thumbs.getState()).toMatchObject({ stage: "refused", vote: undefined, isFixed: false });
  thumbs.press("up");
  await tab.advance(4000);
  expect([stage(), await stored()]).toMatchObject(["stored", [{ rating: 5 }]]);
});

describe("the same run twice", () => {
  const granted = { consent: "granted" } as const;

  /** Two thumbs on one run, in one page or in two tabs of a device. */
  async function openedTwice(inTwoTabs: boolean, options: Partial<AfterwordOptions> = granted) {
    const device = aDevice();
    const person = newPerson();
    const { token, ...run } = await mint(service, "inline", person, `run-of-${person}`);
    const first = start(service.url, options, { device });
    const second = inTwoTabs ? start(service.url, options, { device }) : first;
    const tabs = new Set([first.tab, second.tab]);
    const settings = { ...run, getToken: () => token };
    const [one, other] = [first, second].map(({ afterword, tab }) => {
      afterword.identify(person);
      return createThumbs(afterword.rate, settings, () => tab.now);
    }) as [Thumbs, Thumbs];
    const advance = async (ms: number) => {
      for (const tab of tabs) await tab.advance(ms);
      for (const tab of tabs) await tab.settle();
    };
    await advance(0);
    const states = () => [one, other].map((thumbs) => [thumbs.getState().vote, thumbs.getState().stage]);
    const ratings = async () => (await storedFor(service, person)).map(({ rating }) => rating);
    const errors = () => [first, second].flatMap(({ events }) => events.error);
    return { first, second, one, other, advance, states, ratings, errors };
  }

  it.each([["one page", false] as const, ["two tabs", true] as const])(
    "in %s: the first shows the vote of the second, and what became of it",
    async (_, inTwoTabs) => {
      const { one, other, advance, states, ratings, errors } = await openedTwice(inTwoTabs);
      one.press("up");
      await advance(1000);
      other.press("down");
      await advance(1000);
      expect(states()).toEqual([
        ["down", "held"],
        ["down", "held"],
      ]);
      await advance(30_000);
      expect(states()).toEqual([
        ["down", "stored"],
        ["down", "stored"],
      ]);
      expect([await ratings(), errors()]).toEqual([[1], []]);
    },
  );

  it.each([["one page", false] as const, ["two tabs", true] as const])(
    "in %s: the first follows the second, which changes its vote",
    async (_, inTwoTabs) => {
      const { one, other, advance, states, ratings } = await openedTwice(inTwoTabs);
      one.press("down");
      await advance(1000);
      for (const vote of ["down", "up", "down", "up"] as const) {
        other.press(vote);
        await advance(500);
      }
      await advance(10_000);
      expect(states()).toEqual([
        ["up", "stored"],
        ["up", "stored"],
      ]);
      expect(await ratings()).toEqual([5]);
    },
  );

  it.each([["one page", false] as const, ["two tabs", true] as const])(
    "in %s: the first is open again when the second withdraws its vote, and takes another one",
    async (_, inTwoTabs) => {
      const { one, other, advance, states, ratings } = await openedTwice(inTwoTabs);
      one.press("up");
      await advance(1000);
      other.press("down");
      await advance(1000);
      other.press("down");
      await advance(10_000);
      expect([states(), await ratings()]).toEqual([
        [
          [undefined, "open"],
          [undefined, "open"],
        ],
        [],
      ]);
      one.press("up");
      await advance(10_000);
      expect([states()[0], await ratings()]).toEqual([["up", "stored"], [5]]);
    },
  );

  it("in two tabs, of which the first hears of the second's vote at once: the second holds and sends it", async () => {
    const { first, second, one, other, advance, states, ratings } = await openedTwice(true);
    one.press("up");
    await advance(1000);
    const { page } = first.tab;
    const { setTimeout } = page;
    page.setTimeout = ((tell: () => void) => tell()) as typeof setTimeout;
    other.press("down");
    await second.tab.settle();
    page.setTimeout = setTimeout;
    await advance(1000);
    expect([states()[1], await ratings()]).toEqual([["down", "held"], []]);
    await advance(30_000);
    expect(await ratings()).toEqual([1]);
  });

  it("in two tabs, of which the second is closed: the first sends what waits, and shows it", async () => {
    const { second, one, other, advance, states, ratings } = await openedTwice(true);
    one.press("up");
    await advance(1000);
    other.press("down");
    await advance(1000);
    second.tab.kill();
    await advance(1000);
    expect([states()[0], await ratings()]).toEqual([["down", "stored"], [1]]);
  });

  it("in two tabs that share nothing: the second is told that the first vote stands", async () => {
    const { one, other, advance, states, ratings } = await openedTwice(true, {});
    one.press("up");
    await advance(1000);
    other.press("down");
    await advance(30_000);
    expect(states()).toEqual([
      ["up", "stored"],
      [undefined, "already"],
    ]);
    expect(await ratings()).toEqual([5]);
  });
});

// @vitest-environment node
import type { RunningServer } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice, type TestPageOptions } from "../../../fixtures/test-page.ts";
import { mint, startService, storedFor } from "../../../fixtures/test-service.ts";
import { createThumbs, type ThumbsOptions } from "../../thumbs/create-thumbs.ts";
import type { AfterwordOptions, RatedRun } from "../public/index.ts";

let service: RunningServer;
beforeAll(async () => void (service = await startService({ eachRun: true })));
afterAll(() => service.close());

const check = "/v1/sdk/tokens/check";
const onCheck =
  (fault: ReturnType<NonNullable<TestPageOptions["fault"]>>): TestPageOptions["fault"] =>
  (path) =>
    path === check ? fault : undefined;
const replyOf = (...tokens: object[]) => new Response(JSON.stringify({ tokens }), { status: 200 });

/** A page of one person, and a run of theirs. */
async function aPage(options: Partial<AfterwordOptions> = {}, page: TestPageOptions = {}, of = newPerson()) {
  const started = start(service.url, options, page);
  const { afterword, tab } = started;
  afterword.identify(of);
  // What the service has read once, a page sends once.
  await tab.settle();
  const thumbs = (run: Partial<RatedRun>) =>
    createThumbs(afterword.rate, run as ThumbsOptions, () => tab.now);
  const run = () => mint(service, "inline", of, `run-of-${of}`);
  return {
    ...started,
    person: of,
    thumbs,
    run,
    asked: () => tab.sent(check).map(({ body }) => body["showTokens"]),
  };
}

/** What becomes of a vote that its person gave on another device. */
async function voted(page: TestPageOptions = {}) {
  const here = await aPage({}, page);
  const run = await here.run();
  const there = await aPage({}, {}, here.person);
  expect(await there.afterword.rate(run, { rating: 5 })).toBe("stored");
  return { ...here, run };
}

describe("thumbs with a token ask what became of it", () => {
  it("within 50 ms in one request, and each token once in the life of the page", async () => {
    const { thumbs, tab, run, asked } = await voted();
    const first = thumbs(run);
    await tab.advance(30);
    const other = thumbs({ ...run, sessionId: "other", token: "st2.forged" });
    expect([asked(), first.getState().stage]).toEqual([[], "open"]);
    await tab.advance(20);
    expect(asked()).toEqual([[run.token, "st2.forged"]]);
    expect(first.getState()).toMatchObject({ stage: "earlier", vote: "up", isFixed: true });
    expect(other.getState().stage).toBe("expired");
    thumbs(run);
    thumbs({ ...run, sessionId: "other", token: "st2.forged" });
    await tab.advance(100);
    expect(asked()).toHaveLength(1);
  });

  it("a hundred in a request, and more in the next", async () => {
    const { thumbs, tab, asked } = await aPage();
    for (let at = 0; at < 101; at++) thumbs({ surveyId: "inline", sessionId: `${at}`, token: `st2.${at}` });
    await tab.advance(50);
    expect(asked().map((tokens) => (tokens as string[]).length)).toEqual([100, 1]);
  });

  it("with getToken alone they ask nothing before a press; a token that has expired is minted anew by the press", async () => {
    const { thumbs, tab, run, asked, person } = await aPage();
    const { token, ...facts } = await run();
    thumbs({ ...facts, getToken: () => token });
    await tab.advance(100);
    expect(asked()).toEqual([]);
    const stale = thumbs({ ...facts, token: "st2.forged", getToken: () => token });
    await tab.advance(100);
    expect(stale.getState()).toMatchObject({ stage: "expired", isFixed: false });
    stale.press("up");
    await tab.advance(4000);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 5 }]);
  });

  it.each([400, 404, 405, 429, 500, 503])(
    "a service that answers %i leaves them open, without a word or a second try",
    async (status) => {
      const fault = onCheck(new Response(JSON.stringify({ code: "x" }), { status }));
      const { thumbs, tab, run, asked, events } = await voted({ fault });
      const pair = thumbs(run);
      await tab.advance(100);
      thumbs(run);
      tab.fire("online");
      await tab.advance(600_000);
      expect([asked().length, pair.getState().stage, events.error]).toEqual([1, "open", []]);
    },
  );

  it("offline they are open, too, and so with a reply that is none", async () => {
    for (const fault of ["lost" as const, new Response("{}"), replyOf()]) {
      const { thumbs, tab, run, events } = await voted({ fault: onCheck(fault) });
      const pair = thumbs(run);
      await tab.advance(600_000);
      expect([pair.getState().stage, events.error]).toEqual(["open", []]);
    }
  });

  it.each([
    ["used without an answer", { state: "used" }],
    ["used for a rating between", { state: "used", answer: { rating: 3, at: "2026-11-28T09:00:00.000Z" } }],
  ])("%s they are closed, and none is chosen", async (_, reply) => {
    const { thumbs, tab, run } = await voted({ fault: onCheck(replyOf(reply)) });
    const pair = thumbs(run);
    await tab.advance(50);
    expect(pair.getState()).toMatchObject({ stage: "earlier", vote: undefined, isFixed: true });
  });

  it("a press before the reply counts, and the reply is then ignored", async () => {
    const { thumbs, tab, run } = await voted();
    const pair = thumbs(run);
    await tab.settle();
    pair.press("down");
    await tab.advance(1000);
    expect(pair.getState()).toMatchObject({ stage: "held", vote: "down" });
  });

  it("a run with one good token stays open, whatever became of its others", async () => {
    const { thumbs, tab, run } = await aPage();
    const minted = await run();
    const pair = [thumbs(minted), thumbs({ ...minted, token: "st2.forged" })];
    await tab.advance(50);
    expect(pair.map((one) => one.getState().stage)).toEqual(["open", "open"]);
  });

  it("once consent is given, where it is required", async () => {
    const { thumbs, tab, run, asked, afterword } = await aPage({ consent: "required" });
    thumbs(await run());
    await tab.advance(1000);
    expect(asked()).toEqual([]);
    afterword.consent(true);
    await tab.advance(50);
    expect(asked()).toHaveLength(1);
  });

  it("not while the vote is in the outbox, also after a reload; what becomes of it is shown", async () => {
    const device = aDevice();
    let isOffline = true;
    const fault: TestPageOptions["fault"] = (path) =>
      isOffline && /responses/.test(path) ? "lost" : undefined;
    const before = await aPage({ consent: "granted" }, { device, fault });
    const run = await before.run();
    await before.afterword.rate(run, { rating: 1 });
    before.tab.kill();
    const { thumbs, tab, asked } = await aPage({ consent: "granted" }, { device, fault }, before.person);
    const pair = thumbs(run);
    await tab.advance(100);
    expect([pair.getState().vote, pair.getState().isFixed, asked()]).toEqual(["down", true, []]);
    isOffline = false;
    tab.fire("online");
    await tab.settle();
    expect(pair.getState().stage).toBe("stored");
  });
});

describe("voteOf", () => {
  it("is the vote that thumbs of the run show, the same object until subscribe tells of a change", async () => {
    const { afterword, thumbs, tab, run } = await aPage();
    const minted = await run();
    const seen: (string | undefined)[] = [];
    afterword.subscribe(() => seen.push(afterword.voteOf(minted)?.stage));
    expect(afterword.voteOf(minted)).toBeUndefined();
    const pair = thumbs(minted);
    await tab.settle();
    pair.press("up");
    expect(afterword.voteOf(minted)).toBe(pair.getState());
    expect(afterword.voteOf({ ...minted })).toBe(pair.getState());
    await tab.advance(4000);
    expect([...new Set(seen)]).toEqual(["open", "held", "sending", "stored"]);
    expect(afterword.voteOf(minted)).toMatchObject({ vote: "up", rating: 5, isFixed: true });
  });

  it("is not shown to the next person of the page, unless their token knows it", async () => {
    const { afterword, tab, run } = await aPage();
    const { token: _, ...facts } = await run();
    const mine = { ...facts, tokens: { inline: (await run()).token } };
    await afterword.rate(mine, { rating: 5 });
    afterword.voteOf({ ...mine, tokens: { inline: "st2.other" } });
    await tab.advance(50);
    expect(afterword.voteOf({ ...mine, tokens: { inline: "st2.other" } })?.vote).toBe("up");
    afterword.reset();
    afterword.voteOf({ ...mine, tokens: { inline: "st2.other" } });
    await tab.advance(50);
    expect(afterword.voteOf({ ...mine, tokens: { inline: "st2.other" } })?.vote).toBeUndefined();
  });
});

// @vitest-environment node
import { describe, expect, it, vi } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice } from "../../../fixtures/test-page.ts";
import { mint, pendingSessions, useService, storedFor } from "../../../fixtures/test-service.ts";

const service = useService();

const bootstrap = "/v1/sdk/bootstrap";
const responses = "/v1/sdk/responses";
const granted = { consent: "granted" } as const;

/** A person with a token for a run of their own. */
async function withRun(
  ...[options, pageOptions]: [Parameters<typeof start>[1]?, Parameters<typeof start>[2]?]
) {
  const person = newPerson();
  const opened = start(service.url, options, pageOptions);
  opened.afterword.identify(person);
  await opened.tab.settle();
  return { ...opened, person, run: await mint(service, "inline", person, `run-of-${person}`) };
}

describe("rate", () => {
  it("stores the rating of one run, with text and session, and shows nothing", async () => {
    const { afterword, run, person, events } = await withRun();
    const text = "it found the file";
    expect(await afterword.rate(run, { rating: 5, text, followUpRequested: true })).toBe("stored");
    expect(await storedFor(service, person)).toMatchObject([{ surveyId: "inline", rating: 5, text }]);
    expect(await pendingSessions(service)).toContain(run.sessionId);
    expect(events.shown.filter(({ surveyId }) => surveyId === "inline")).toEqual([]);
  });

  it("again, with the same rating and text, is stored; with another, the earlier answer stands", async () => {
    const { afterword, run, person, tab, events } = await withRun();
    const answer = { rating: 5, text: "it found the file" };
    expect(await afterword.rate(run, answer)).toBe("stored");
    const again = start(service.url);
    again.afterword.identify(person);
    expect(await again.afterword.rate(run, answer)).toBe("stored");
    expect(await again.afterword.rate(run, { rating: 1 })).toBe("already");
    await tab.settle();
    expect([...events.error, ...again.events.error]).toEqual([]);
    expect(await storedFor(service, person)).toMatchObject([answer]);
  });

  it("stores the first of five different ratings of one run, and says of no other that it is stored", async () => {
    const { run, person } = await withRun();
    const results: unknown[] = [];
    for (const rating of [1, 2, 3, 4, 5]) {
      const { afterword } = start(service.url);
      afterword.identify(person);
      results.push(await afterword.rate(run, { rating }));
    }
    expect(results).toEqual(["stored", "already", "already", "already", "already"]);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 1 }]);
  });

  it("needs no bootstrap, and asks for none", async () => {
    const { afterword, run, tab } = await withRun(
      {},
      { fault: (path) => (path === bootstrap ? "lost" : undefined) },
    );
    const before = tab.sent(bootstrap).length;
    expect(await afterword.rate(run, { rating: 4 })).toBe("stored");
    expect(tab.sent(bootstrap)).toHaveLength(before);
  });

  const fine = { surveyId: "inline", token: "st2.x", sessionId: "s" };
  it.each<[fault: string, given: unknown[]]>([
    ["run must be of type object", []],
    ["run must be of type object", [null, { rating: 5 }]],
    ["run must be of type object", ["run-1", { rating: 5 }]],
    ["run.surveyId must be of type string", [{}, { rating: 5 }]],
    ["run.surveyId must be of type string", [{ ...fine, surveyId: 7 }, { rating: 5 }]],
    ["run.surveyId must be of type string", [{ sessionId: "s", tokens: null }, { rating: 5 }]],
    ["run.tokens must be of type object", [{ sessionId: "s", tokens: "st2.x" }, { rating: 5 }]],
    ["the run has no token", [{ sessionId: "s", tokens: { inline: 7 } }, { rating: 5 }]],
    ["the run has no token", [{ surveyId: "inline", sessionId: "s" }, { rating: 5 }]],
    ["the run has no token", [{ surveyId: "inline", sessionId: "s", getToken: () => ({}) }, { rating: 5 }]],
    [
      "run.getToken must be of type function",
      [{ ...fine, token: undefined, getToken: "st2.x" }, { rating: 5 }],
    ],
    ["run.sessionId must be of type string", [{ ...fine, sessionId: {} }, { rating: 5 }]],
    ["run.taskType must be of type string", [{ ...fine, taskType: 1n }, { rating: 5 }]],
    ["answer must be of type object", [fine]],
    ["answer must be of type object", [fine, 5]],
    ["answer.rating must be of type integer", [fine, {}]],
    ["answer.rating must be of type integer", [fine, { rating: NaN }]],
    ["answer.rating must be of type number", [fine, { rating: "5" }]],
    ["answer.rating must be of type number", [fine, { rating: Symbol("5") }]],
    ["answer.text must be of type string", [fine, { rating: 5, text: 42 }]],
    ["answer.followUpRequested must be of type boolean", [fine, { rating: 5, followUpRequested: "yes" }]],
    ["options must be of type object", [fine, { rating: 5 }, 4000]],
    ["options.signal must be of type AbortSignal", [fine, { rating: 5 }, { signal: {} }]],
    ["options.signal must be of type object", [fine, { rating: 5 }, { signal: "x" }]],
    ["options.suggest must be of type function", [fine, { rating: 5 }, { type: "csat", suggest: "x" }]],
    ["options.settled must be of type function", [fine, { rating: 5 }, { settled: 1 }]],
    ["options.delayInMs must be of type number", [fine, { rating: 5 }, { delayInMs: "4s" }]],
    ["options.language must be of type string", [fine, { rating: 5 }, { type: "csat", language: {} }]],
  ])("says in one invalid_argument what it cannot use: %s", async (fault, given) => {
    const { afterword, tab, events } = start(service.url, granted);
    const rating = afterword.rate(...(given as Parameters<typeof afterword.rate>));
    await tab.advance(20_000);
    expect(await rating).toBe("refused");
    expect(events.error.map(({ code, message }) => [code, message])).toEqual([
      ["invalid_argument", `rate: ${fault}`],
    ]);
    expect(tab.sent(responses)).toEqual([]);
  });

  it("says nothing of what was withdrawn before", async () => {
    const { afterword, tab, events } = start(service.url, granted);
    const signal = AbortSignal.abort();
    expect(await afterword.rate({} as never, { rating: 1 }, { signal })).toBe("refused");
    await tab.settle();
    expect(events.error).toEqual([]);
  });

  it("takes null where a field may be missing", async () => {
    const { afterword, run, person } = await withRun();
    const answer = { rating: 5, text: null, followUpRequested: null } as never;
    expect(await afterword.rate({ ...run, getToken: null } as never, answer, null as never)).toBe("stored");
    expect(await storedFor(service, person)).toMatchObject([{ rating: 5 }]);
  });

  it("does not wait longer than 15 seconds for a token, and takes it when it is asked for again", async () => {
    const { afterword, run, tab, events } = await withRun();
    const { token, ...tokenless } = run;
    const getToken = vi.fn<() => string | Promise<string>>(() => new Promise<string>(() => {}));
    const rating = afterword.rate({ ...tokenless, getToken }, { rating: 5 });
    await tab.advance(15_000);
    expect(await rating).toBe("refused");
    expect(events.error).toMatchObject([
      { code: "invalid_argument", message: "rate: getToken did not answer" },
    ]);
    getToken.mockReturnValue(token);
    expect(await afterword.rate({ ...tokenless, getToken }, { rating: 5 })).toBe("stored");
  });

  it.each([
    ["refused", "null", ["a sandboxed frame needs allow-same-origin"]],
    ["queued", "https://app.example", ["offline, or origin not allowed"]],
  ] as const)(
    "is %s where nothing comes through to a page of origin %s",
    async (result, origin, [reason]) => {
      const { afterword, run, tab, events } = await withRun(granted, { origin, fault: () => "lost" });
      expect(await afterword.rate(run, { rating: 5 })).toBe(result);
      await tab.advance(3_600_000);
      for (const { code, message } of events.error) {
        expect(code).toBe("network");
        expect(message).toContain(reason);
      }
      expect(tab.sent(responses).length > 2).toBe(result === "queued");
    },
  );

  it("waits in a page whose origin is opaque, but allowed", async () => {
    const fault = (path: string) => (path === responses ? ("lost" as const) : undefined);
    const { afterword, run } = await withRun(granted, { origin: "null", fault });
    expect(await afterword.rate(run, { rating: 5 })).toBe("queued");
  });

  it("takes any number at a time", async () => {
    const { afterword } = start(service.url);
    const people = Array.from({ length: 20 }, newPerson);
    const runs = await Promise.all(
      people.map((person) => mint(service, "inline", person, `run-of-${person}`)),
    );
    const results = runs.map((run, at) => {
      afterword.identify(people[at]!);
      return afterword.rate(run, { rating: 1 });
    });
    // Who it was is read when the rating is given.
    expect(await Promise.all(results)).toEqual(runs.map(() => "stored"));
    for (const person of people) expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("keeps a rating that cannot be sent, and sends it from the next page", async () => {
    const device = aDevice();
    const lost = (path: string) => (path === responses ? ("lost" as const) : undefined);
    const { afterword, run, person } = await withRun(granted, { device, fault: lost });
    expect(await afterword.rate(run, { rating: 2 })).toBe("queued");
    afterword.destroy();
    const { tab, events } = start(service.url, granted, { device });
    await tab.settle();
    expect(events.delivered).toEqual([{ surveyId: "inline" }]);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 2 }]);
  });

  it.each([
    ["it has none", {}],
    ["those of its surveys leave out the one to rate", { tokens: { auto: "t" } }],
  ])("of a run without a token, because %s, is refused and not sent", async (_, tokens) => {
    const { afterword, events, tab } = await withRun();
    const run = { surveyId: "inline", sessionId: "s", ...tokens };
    expect(await afterword.rate(run, { rating: 5 })).toBe("refused");
    expect(events.error).toMatchObject([{ code: "invalid_argument", message: "rate: the run has no token" }]);
    expect(tab.sent(responses)).toEqual([]);
  });

  it("leaves out kind of task and traits under Global Privacy Control", async () => {
    const { afterword, run, tab } = await withRun({}, { hasPrivacyControl: true });
    await afterword.rate({ ...run, taskType: "refund" }, { rating: 3 });
    expect(tab.sent(responses)[0]!.body).not.toHaveProperty("taskType");
  });

  it("of a token for another survey is refused, and the reason is an error event", async () => {
    const { afterword, run, person, tab, events } = await withRun();
    expect(await afterword.rate({ ...run, surveyId: "manual" }, { rating: 3 })).toBe("refused");
    await tab.settle();
    expect(events.error).toMatchObject([{ status: 401 }]);
    expect(await storedFor(service, person)).toEqual([]);
  });

  it.each(["manual", "inline"])(
    "for a csat survey alone stores nothing of any other: %s",
    async (surveyId) => {
      const { afterword, person, tab, events } = await withRun();
      const run = await mint(service, surveyId, person, "typed");
      const result = afterword.rate(run, { rating: 5 }, { type: "csat", delayInMs: 4000 });
      await tab.advance(4000);
      const isCsat = surveyId === "inline";
      expect(await result).toBe(isCsat ? "stored" : "refused");
      expect(await storedFor(service, person)).toHaveLength(isCsat ? 1 : 0);
      expect(events.error.map(({ message }) => message)).toEqual(
        isCsat ? [] : ["survey manual is nps and not csat"],
      );
    },
  );

  it.each([
    ["no run", undefined, { rating: 1 }],
    ["no token", { surveyId: "inline", sessionId: "s" }, { rating: 1 }],
    ["a session that is no text", { surveyId: "inline", token: "t", sessionId: 7 }, { rating: 1 }],
    ["no answer", { surveyId: "inline", token: "t", sessionId: "s" }, undefined],
    ["half a rating", { surveyId: "inline", token: "t", sessionId: "s" }, { rating: 2.5 }],
    ["text that is none", { surveyId: "inline", token: "t", sessionId: "s" }, { rating: 2, text: 7 }],
  ])("with %s is refused with an error event, and nothing is stored", async (_, run, answer) => {
    const person = newPerson();
    const { afterword, tab, events } = start(service.url);
    afterword.identify(person);
    const { token } = await mint(service, "inline", person, "s");
    const completed = run && { ...run, token: "token" in run ? token : undefined };
    expect(await afterword.rate(completed as never, answer as never)).toBe("refused");
    await tab.settle();
    expect(events.error).toHaveLength(1);
    expect(await storedFor(service, person)).toEqual([]);
  });

  it("sends nothing where consent is required and not given", async () => {
    const { afterword, run, tab, events } = await withRun({ consent: "required" });
    expect(await afterword.rate(run, { rating: 1 })).toBe("refused");
    await tab.settle();
    expect(events.error).toMatchObject([{ code: "invalid_argument" }]);
    expect(tab.requests).toEqual([]);
  });

  it("after destroy sends nothing", async () => {
    const { afterword, run, tab } = await withRun();
    afterword.destroy();
    expect(await afterword.rate(run, { rating: 1 })).toBe("refused");
    expect(tab.sent(responses)).toEqual([]);
  });
});

describe("a rating whose token is still to be minted", () => {
  it("is sent with the token that the page gets", async () => {
    const { afterword, run, person } = await withRun();
    const { token, ...rest } = run;
    expect(await afterword.rate({ ...rest, getToken: async () => token }, { rating: 4 })).toBe("stored");
    expect(await storedFor(service, person)).toMatchObject([{ rating: 4 }]);
  });

  it("is refused where getting it fails, and that is an error event", async () => {
    const { afterword, run, events } = await withRun();
    const getToken = () => Promise.reject(new Error("HTTP 500"));
    expect(await afterword.rate({ ...run, token: undefined, getToken }, { rating: 4 })).toBe("refused");
    expect(events.error).toMatchObject([{ message: "Error: HTTP 500" }]);
  });
});

describe("a rating with a delay", () => {
  const inFourSeconds = { delayInMs: 4000 };

  it("waits in the outbox, and is sent when the time is over", async () => {
    const device = aDevice();
    const { afterword, run, tab } = await withRun(granted, { device });
    const result = afterword.rate(run, { rating: 5 }, inFourSeconds);
    await tab.advance(3999);
    expect(tab.sent(responses)).toEqual([]);
    expect(JSON.stringify(device.local)).toContain(run.sessionId);
    await tab.advance(1);
    expect(await result).toBe("stored");
  });

  it("that is lost when the time is over is sent again", async () => {
    const fault = (path: string, before: number) =>
      path === responses && !before ? ("lost" as const) : undefined;
    const { afterword, run, tab, events } = await withRun({}, { fault });
    void afterword.rate(run, { rating: 5 }, inFourSeconds);
    await tab.advance(60_000);
    expect(events.delivered).toEqual([{ surveyId: "inline" }]);
  });

  it.each(["before", "after"])("withdrawn %s it was given leaves nothing and is no error", async (when) => {
    const device = aDevice();
    const { afterword, run, tab, events } = await withRun(granted, { device });
    const withdrawal = new AbortController();
    if (when === "before") withdrawal.abort();
    const result = afterword.rate(run, { rating: 5 }, { ...inFourSeconds, signal: withdrawal.signal });
    await tab.settle();
    withdrawal.abort();
    // Not only when the time is over.
    expect(await result).toBe("refused");
    await tab.advance(120_000);
    expect(tab.sent(responses)).toEqual([]);
    expect(JSON.stringify(device.local)).not.toContain(run.sessionId);
    expect(events.error).toEqual([]);
  });

  it("withdrawn beforehand is no error even without consent, so a page can load ahead what rating needs", async () => {
    const { afterword, run, tab, events } = await withRun({ consent: "required" });
    const withdrawn = { signal: AbortSignal.abort() };
    expect(await afterword.rate(run, { rating: 5 }, withdrawn)).toBe("refused");
    await tab.settle();
    expect([events.error, tab.requests]).toEqual([[], []]);
  });

  it("gives way to the next one of the same run", async () => {
    const { afterword, run, tab, person } = await withRun();
    const first = afterword.rate(run, { rating: 5 }, inFourSeconds);
    void afterword.rate(run, { rating: 1 }, inFourSeconds);
    expect(await first).toBe("refused");
    await tab.advance(4000);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 1 }]);
  });

  it.each([
    ["left", {}],
    ["left", granted],
    ["hidden", {}],
    ["hidden", granted],
    ["no longer in need of Afterword", granted],
  ])("is sent once, at once, when the page is %s, with %j", async (ending, options) => {
    const { afterword, run, tab, person } = await withRun(options);
    void afterword.rate(run, { rating: 5 }, inFourSeconds);
    await tab.settle();
    if (ending === "left") tab.fire("pagehide");
    else if (ending === "hidden") await tab.turn("hidden");
    else afterword.destroy();
    expect(tab.sent(responses)).toHaveLength(1);
    await tab.settle();
    expect(await storedFor(service, person)).toHaveLength(1);
    await tab.turn("visible");
    await tab.advance(120_000);
    expect(tab.sent(responses)).toHaveLength(1);
  });

  it("does not wait where the page is hidden already", async () => {
    const { afterword, run, tab } = await withRun();
    await tab.turn("hidden");
    expect(await afterword.rate(run, { rating: 5 }, inFourSeconds)).toBe("stored");
  });

  it.each([2 ** 31, Infinity])("of %s milliseconds waits", async (delayInMs) => {
    const { afterword, run, tab } = await withRun();
    void afterword.rate(run, { rating: 5 }, { delayInMs });
    await tab.advance(24 * 24 * 3_600_000);
    expect(tab.sent(responses)).toEqual([]);
  });

  it.each([4000, 2 ** 31 - 1])(
    "of %i ms belongs to its page: the next one sends it at once, if this one was killed",
    async (delayInMs) => {
      const device = aDevice();
      const { afterword, run, tab, person } = await withRun(granted, { device });
      void afterword.rate(run, { rating: 5 }, { delayInMs });
      await tab.settle();
      const next = start(service.url, granted, { device });
      await next.tab.settle();
      expect(await storedFor(service, person)).toEqual([]);
      tab.kill();
      await next.tab.settle();
      expect(await storedFor(service, person)).toMatchObject([{ rating: 5 }]);
    },
  );

  it("whose person consents meanwhile is kept on the device, and goes on waiting", async () => {
    const device = aDevice();
    const { afterword, run, tab } = await withRun({}, { device });
    void afterword.rate(run, { rating: 5 }, inFourSeconds);
    await tab.settle();
    expect(JSON.stringify(device.local)).not.toContain(run.sessionId);
    afterword.consent(true);
    await tab.settle();
    expect(JSON.stringify(device.local)).toContain(run.sessionId);
    expect(tab.sent(responses)).toEqual([]);
  });

  it("holds up no other one that waits for the network", async () => {
    const fault = (path: string, before: number) =>
      path === responses && !before ? ("lost" as const) : undefined;
    const { afterword, run, tab, person } = await withRun({}, { fault });
    const other = await mint(service, "inline", person, "other-run");
    expect(await afterword.rate(other, { rating: 1 })).toBe("queued");
    void afterword.rate(run, { rating: 5 }, inFourSeconds);
    await tab.settle();
    tab.fire("online");
    await tab.settle();
    expect(tab.sent(responses).map(({ body }) => body["sessionId"])).toEqual(["other-run", "other-run"]);
  });

  it("is sent before older ones when the page is hidden", async () => {
    const { afterword, run, tab, person } = await withRun();
    const newest = await mint(service, "inline", person, "newest-run");
    for (const one of [run, newest]) void afterword.rate(one, { rating: 5 }, inFourSeconds);
    await tab.settle();
    await tab.turn("hidden");
    const sent = tab.sent(responses).map(({ body }) => body["sessionId"]);
    expect(sent).toEqual(["newest-run", run.sessionId]);
  });

  it("whose consent is withdrawn meanwhile is never sent", async () => {
    const { afterword, run, tab } = await withRun(granted);
    const result = afterword.rate(run, { rating: 5 }, inFourSeconds);
    await tab.settle();
    afterword.consent(false);
    await tab.advance(120_000);
    expect(await result).toBe("refused");
    expect(tab.sent(responses)).toEqual([]);
  });
});

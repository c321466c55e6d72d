// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { mint, pendingSessions, useService, storedFor, surveys } from "../../../fixtures/test-service.ts";

const service = useService();

const bootstrap = "/v1/sdk/bootstrap";
const responses = "/v1/sdk/responses";

describe("starting", () => {
  it("asks the service once, with the ids in the body and none in the URL", async () => {
    const { tab } = start(service.url);
    await tab.settle();
    expect(tab.requests).toHaveLength(1);
    expect(tab.requests[0]).toMatchObject({ path: bootstrap, body: { userId: expect.any(String) } });
  });

  it("asks once, not twice, when the person is identified right after the start", async () => {
    const { afterword, tab } = start(service.url);
    afterword.identify("early-bird");
    await tab.settle();
    expect(tab.requests.map(({ body }) => body["userId"])).toEqual(["early-bird"]);
  });

  it("traits that are null count as none", async () => {
    const { afterword, tab, shown, events } = start(service.url);
    afterword.identify(newPerson(), null as unknown as undefined);
    await tab.settle();
    expect(shown()).toBe("by-itself");
    expect(events.error).toEqual([]);
  });

  it("shows by itself what has an automatic trigger, and nothing else", async () => {
    const { tab, shown, events } = start(service.url);
    await tab.settle();
    expect(shown()).toBe("by-itself");
    expect(events.shown).toEqual([{ surveyId: "auto", slug: "by-itself" }]);
  });
});

describe("what goes wrong", () => {
  it("is told in one readable line: method, path, status, code, request, and no key or id", async () => {
    const { tab, events, shown } = start(service.url, { key: "aw_pk_nobodyhasthiskey0123456789" });
    await tab.settle();
    expect(shown()).toBeUndefined();
    expect(events.error).toMatchObject([{ code: "invalid_key", status: 401 }]);
    expect(events.error[0]!.message).toMatch(
      /^POST \/v1\/sdk\/bootstrap: 401 \(invalid_key, request .+\): check the key/,
    );
    expect(events.error[0]!.message).not.toContain("aw_pk_");
  });

  it("says that the page's content security policy blocked the connection, and what to allow", async () => {
    const blockedURI = `${new URL(service.url).origin}/v1/sdk/bootstrap`;
    const { tab, events } = start(service.url, {}, { fault: () => "lost" });
    tab.fire("securitypolicyviolation", { effectiveDirective: "img-src", blockedURI: "https://cdn.example" });
    tab.fire("securitypolicyviolation", { effectiveDirective: "connect-src", blockedURI });
    await tab.settle();
    expect(events.error[0]!.message).toContain(
      `blocked by this page's content security policy: allow ${new URL(service.url).origin} in connect-src`,
    );
  });

  it("says that a refused origin and a dead network look the same", async () => {
    const { tab, events } = start(service.url, {}, { fault: () => "lost" });
    await tab.settle();
    expect(events.error).toMatchObject([
      {
        code: "network",
        message: "POST /v1/sdk/bootstrap: no reply: offline, or origin not allowed (network)",
      },
    ]);
  });

  it.each([
    ["a token without its session", "install", [{ surveyId: "auto", token: "st2.x" }]],
    ["no token at all", "install", []],
    ["a slug that is missing", "ask", []],
  ] as const)("%s is reported, and nothing is thrown", async (_, command, given) => {
    const { afterword, events } = start(service.url);
    (afterword[command] as (...given: unknown[]) => void)(...given);
    expect(events.error).toMatchObject([
      { code: "invalid_argument", message: expect.stringContaining("must be text") },
    ]);
  });

  it.each(["key", "baseUrl"] as const)("a missing %s is reported once it is needed", async (name) => {
    const { tab, events } = start(service.url, { [name]: undefined });
    await tab.settle();
    expect(events.error).toMatchObject([
      { code: "invalid_argument", message: "key and baseUrl must be text" },
    ]);
    expect(tab.requests).toEqual([]);
  });

  it("goes to the console without an error listener", async () => {
    const { TestPage } = await import("../../../fixtures/test-page.ts");
    const { createHeadlessAfterword } = await import("../../headless.ts");
    const tab = new TestPage({ fault: () => "lost" });
    createHeadlessAfterword({ key: "k", baseUrl: service.url }, tab.page);
    await tab.settle();
    expect(tab.warnings).toEqual([expect.stringMatching(/^afterword: POST .+ no reply/)]);
  });

  it("an error of one listener does not affect the others", async () => {
    const { afterword, tab, events } = start(service.url);
    afterword.on("shown", () => {
      throw new Error("of the host page");
    });
    const after: string[] = [];
    afterword.on("shown", ({ slug }) => after.push(slug));
    await tab.settle();
    expect(after).toEqual(["by-itself"]);
    expect(events.shown).toHaveLength(1);
  });

  it.each([
    ["not JSON", "<html>"],
    ["JSON without surveys", "{}"],
    ["JSON null", "null"],
    ["surveys that are no list", '{"surveys":{}}'],
  ])("a reply that is %s shows nothing and is reported", async (_, body) => {
    const { tab, events, shown } = start(service.url, {}, { fault: () => new Response(body) });
    await tab.settle();
    expect(shown()).toBeUndefined();
    expect(events.error).toHaveLength(1);
  });
});

describe("a bootstrap that failed", () => {
  // As text and as JSON.
  const onceLost = (path: string, before: number) =>
    path === bootstrap && before < 2 ? ("lost" as const) : undefined;

  it("is tried again when a survey is asked for", async () => {
    const { tab, ask, shown } = start(service.url, {}, { fault: onceLost });
    await tab.settle();
    await ask("when-asked");
    expect(shown()).toBe("when-asked");
  });

  it("is tried again when the network is back", async () => {
    const { tab, shown } = start(service.url, {}, { fault: onceLost });
    await tab.settle();
    tab.fire("online");
    await tab.settle();
    expect(shown()).toBe("by-itself");
  });

  it("is not tried again before the service allows it", async () => {
    const busy = () => new Response("{}", { status: 429, headers: { "retry-after": "30" } });
    const fault = (_: string, before: number) => (before === 0 ? busy() : undefined);
    const { tab, ask, whyNot } = start(service.url, {}, { fault });
    await tab.settle();
    await ask("when-asked");
    expect(tab.sent(bootstrap)).toHaveLength(1);
    expect(whyNot("when-asked")).toBe("rate-limited");
    await tab.advance(30_000);
    expect(await ask("when-asked")).toBeDefined();
  });

  it("is repeated before a survey is shown whose token has grown old in an open tab", async () => {
    const { tab, ask } = start(
      service.url,
      {},
      { fault: (path) => (path === bootstrap ? undefined : "lost") },
    );
    await tab.settle();
    await tab.advance(13 * 3_600_000);
    await ask("when-asked");
    expect(tab.sent(bootstrap)).toHaveLength(2);
  });
});

describe("the task gate", () => {
  it("shows nothing between task and resolve, and what asks by itself after it", async () => {
    const { afterword, tab, shown } = start(service.url);
    afterword.task();
    await tab.settle();
    expect(shown()).toBeUndefined();
    afterword.resolve();
    await tab.settle();
    expect(shown()).toBe("by-itself");
  });

  it("holds back a survey that is asked for until the task is resolved, and says so", async () => {
    const { afterword, ask, tab, shown, whyNot } = start(service.url);
    afterword.task();
    await ask("when-asked");
    expect(whyNot("when-asked")).toBe("task");
    afterword.resolve();
    await tab.settle();
    expect(shown()).toBe("when-asked");
  });

  it("closes at a new task what the person has not touched", async () => {
    const { afterword, ask, shown, events } = start(service.url);
    await ask("when-asked");
    afterword.task();
    expect(shown()).toBeUndefined();
    expect(events.closed).toEqual([{ surveyId: "manual", slug: "when-asked" }]);
    expect(events.dismissed).toEqual([]);
  });

  it("leaves at a new task what the person has begun to answer", async () => {
    const { afterword, ask, shown } = start(service.url);
    (await ask("when-asked"))!.rate(3);
    afterword.task();
    expect(shown()).toBe("when-asked");
  });

  it("a task that begins while the service is asked stops what would have been shown", async () => {
    const { afterword, tab, shown } = start(service.url);
    tab.settle();
    await new Promise(setImmediate);
    afterword.task();
    await tab.settle();
    expect(shown()).toBeUndefined();
  });
});

describe("installed tokens", () => {
  it("win over the token of the bootstrap and link the answer to the session", async () => {
    const person = newPerson();
    const { afterword, ask, tab } = start(service.url);
    afterword.identify(person);
    afterword.task();
    afterword.install({ ...(await mint(service, "manual", person, "run-1")), taskType: "refund" });
    afterword.resolve();
    const survey = await ask("when-asked");
    expect(await survey!.submit({ rating: 9 })).toBe("stored");
    expect(tab.sent(responses)[0]!.body).toMatchObject({ sessionId: "run-1", taskType: "refund", rating: 9 });
    expect(await pendingSessions(service)).toContain("run-1");
  });

  it("may arrive while the survey is shown, before the answer", async () => {
    const person = newPerson();
    const { afterword, ask } = start(service.url);
    afterword.identify(person);
    const survey = await ask("when-asked");
    afterword.install(await mint(service, "manual", person, "run-late"));
    await survey!.submit({ rating: 1 });
    expect(await pendingSessions(service)).toContain("run-late");
  });

  it("of another run do not replace the one that the survey is shown for", async () => {
    const person = newPerson();
    const { afterword, ask } = start(service.url);
    afterword.identify(person);
    afterword.install(await mint(service, "manual", person, "run-shown"));
    const survey = await ask("when-asked");
    afterword.install(await mint(service, "manual", person, "run-after"));
    await survey!.submit({ rating: 5 });
    expect(await pendingSessions(service)).toEqual(expect.arrayContaining(["run-shown"]));
    expect(await pendingSessions(service)).not.toContain("run-after");
  });

  it("are dropped when the next task begins", async () => {
    const person = newPerson();
    const { afterword, ask, tab } = start(service.url);
    afterword.identify(person);
    afterword.install(await mint(service, "manual", person, "run-old"));
    afterword.task();
    afterword.resolve();
    const survey = await ask("when-asked");
    await survey!.submit({ rating: 5 });
    expect(tab.sent(responses)[0]!.body).not.toHaveProperty("sessionId");
  });

  it("that never come mean that nothing is shown, where only linked answers are wanted", async () => {
    const person = newPerson();
    const { afterword, ask, tab, shown, whyNot } = start(service.url, { linkedOnly: true });
    afterword.identify(person);
    await ask("when-asked");
    expect(whyNot("when-asked")).toBe("unlinked");
    afterword.install(await mint(service, "auto", person, "run-linked"));
    await tab.settle();
    expect(shown()).toBe("by-itself");
  });
});

describe("one survey at a time", () => {
  it("many calls made one after another show one survey, once, and refuse none", async () => {
    const person = newPerson();
    const { afterword, ask, tab, shown, events } = start(service.url);
    afterword.identify(person);
    afterword.task();
    await tab.settle();
    afterword.install(await mint(service, "manual", person, "run-calls"));
    afterword.resolve();
    afterword.install(await mint(service, "auto", person, "run-calls"));
    await ask("when-asked");
    tab.fire("online");
    await tab.settle();
    expect(shown()).toBe("when-asked");
    expect(events.shown).toHaveLength(1);
    expect(events.notShown).toEqual([]);
  });

  it("a second one is refused while one is shown", async () => {
    const { ask, shown, whyNot } = start(service.url);
    await ask("by-itself");
    await ask("when-asked");
    expect(shown()).toBe("by-itself");
    expect(whyNot("when-asked")).toBe("busy");
  });

  it("thanks for one make room for the next that is asked for", async () => {
    const { ask, shown } = start(service.url);
    await (await ask("when-asked"))!.submit({ rating: 3 });
    await ask("by-itself");
    expect(shown()).toBe("by-itself");
  });

  it("after one was shown by itself the next waits for the next occasion", async () => {
    const { afterword, tab, shown, events } = start(service.url);
    await tab.settle();
    afterword.getSurvey()!.dismiss();
    afterword.install({ surveyId: "x", token: "t", sessionId: "s" });
    await tab.settle();
    expect(shown()).toBeUndefined();
    expect(events.shown).toHaveLength(1);
  });

  it("an unknown slug is told", async () => {
    const { ask, events } = start(service.url);
    await ask("no-such-survey");
    expect(events.notShown.at(-1)).toEqual({
      slug: "no-such-survey",
      surveyId: undefined,
      reason: "unknown",
    });
  });
});

describe("test mode and preview", () => {
  it("test mode shows any survey, again and again, and sends nothing", async () => {
    const { ask, tab, events } = start(service.url, { testMode: true });
    for (const [index] of [1, 2].entries()) {
      const survey = await ask("for-pros");
      expect(await survey!.submit({ rating: 2 }), `time ${index}`).toBe("stored");
      survey!.done();
    }
    expect(events.submitted).toHaveLength(2);
    expect(tab.requests.map(({ path }) => path)).toEqual([bootstrap]);
  });

  it("test mode remembers nothing on the device", async () => {
    const { ask, tab } = start(service.url, { testMode: true, consent: "granted" });
    const survey = await ask("when-asked");
    survey!.saveDraft({ rating: 1, text: "just a try" });
    await survey!.submit({ rating: 1 });
    expect(Object.keys(tab.page.localStorage).filter((name) => /asked|outbox/.test(name))).toEqual([]);
    expect(Object.keys(tab.page.sessionStorage)).toEqual([]);
  });

  it("a preview takes the place of what is shown, at any time", async () => {
    const { afterword, tab, shown } = start(service.url);
    await tab.settle();
    expect(shown()).toBe("by-itself");
    afterword.preview({ ...surveys[1], slug: "draft-of-mine" });
    await tab.settle();
    expect(shown()).toBe("draft-of-mine");
  });

  it("a preview needs no survey on the service and stores nothing there", async () => {
    const person = newPerson();
    const { afterword, tab, shown } = start(service.url);
    afterword.identify(person);
    afterword.preview({ ...surveys[1], slug: "draft-of-mine", id: "nowhere" });
    await tab.settle();
    expect(shown()).toBe("draft-of-mine");
    await afterword.getSurvey()!.submit({ rating: 3 });
    expect(tab.sent(responses)).toEqual([]);
    expect(await storedFor(service, person)).toEqual([]);
  });
});

describe("debug", () => {
  it("explains in one line why a survey is not shown, with the rule that decided", async () => {
    const { ask, tab } = start(service.url, { debug: true });
    await ask("by-itself");
    await ask("for-pros");
    await tab.settle();
    expect(tab.lines).toContain(
      'afterword: "for-pros" is not shown (targeting): the respondent\'s traits do not match: plan eq "pro".',
    );
  });
});

describe("events", () => {
  it("are events of the document too", async () => {
    const { tab } = start(service.url);
    await tab.settle();
    expect(tab.dispatched).toContainEqual({
      type: "afterword:shown",
      detail: { surveyId: "auto", slug: "by-itself" },
    });
  });

  it("stop when the listener is taken off", async () => {
    const { afterword, tab } = start(service.url);
    const heard: string[] = [];
    afterword.on("shown", ({ slug }) => heard.push(slug))();
    await tab.settle();
    expect(heard).toEqual([]);
  });

  it("tell the whole story of an answer in order", async () => {
    const { afterword, ask, tab } = start(service.url);
    const story: string[] = [];
    for (const name of ["shown", "rated", "submitted", "closed"] as const) {
      afterword.on(name, () => story.push(name));
    }
    const survey = await ask("when-asked");
    survey!.rate(4);
    survey!.rate(8);
    await survey!.submit({ rating: 8 });
    survey!.done();
    await tab.settle();
    expect(story).toEqual(["shown", "rated", "rated", "submitted", "closed"]);
  });
});

describe("destroying", () => {
  it("ends everything: nothing is shown or asked any more", async () => {
    const { afterword, tab, shown } = start(service.url);
    await tab.settle();
    afterword.destroy();
    tab.fire("online");
    await tab.settle();
    expect(shown()).toBeUndefined();
    expect(tab.requests).toHaveLength(1);
  });
});

import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  AfterwordRespondent,
  ApiError,
  ConnectionError,
  type InstalledToken,
  type RespondentOptions,
} from "../index.ts";
import { eachRunSurvey, startTestService, type TestService } from "../client/service.fixture.ts";

const survey = (parts: object = {}) =>
  ({
    id: "csat",
    slug: "csat",
    type: "csat",
    question: "How was it?",
    presentation: "inline",
    trigger: "auto",
    ...parts,
  }) as SurveyDefinition;

const definitions = (parts: Partial<BootstrapReply> = {}): BootstrapReply => ({
  surveys: [survey()],
  suppression: [],
  showTokens: { csat: "st1.token" },
  ...parts,
});

/** A service that answers bootstrap with these definitions and everything else with these replies in turn. */
function aService(known: BootstrapReply, ...replies: (Response | Error)[]) {
  const sent: { path: string; body: Record<string, unknown> }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname;
    sent.push({ path, body: (await request.json()) as Record<string, unknown> });
    if (path === "/v1/sdk/bootstrap") return Response.json(known);
    const reply = replies.shift()!;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { fetch, sent };
}

const stored = () => Response.json({ ok: true, id: "r1", at: "2026-11-21T09:00:00.000Z" }, { status: 201 });

const respondent = (service: { fetch: typeof fetch }, options: RespondentOptions = {}) =>
  new AfterwordRespondent({
    publishableKey: "aw_pk_x",
    baseUrl: "https://x.example",
    fetch: service.fetch,
    ...options,
  });

describe("who is asked is decided as in the browser", () => {
  it("a respondent gated by the service is not asked: no token, no ask", async () => {
    const decisions = await respondent(aService(definitions({ showTokens: {} }))).decide();
    expect(decisions).toEqual([{ survey: survey(), reason: "gated" }]);
  });

  it("a respondent is not asked twice: surveys that the service suppresses", async () => {
    const client = respondent(aService(definitions({ suppression: ["csat"] })));
    expect(await client.nextAsk()).toBeUndefined();
  });

  it("a respondent is not asked twice: surveys answered or dismissed here", async () => {
    const client = respondent(aService(definitions(), stored()));
    await (await client.nextAsk())!.dismiss();
    expect(await client.decide()).toEqual([{ survey: survey(), reason: "suppressed" }]);
  });

  it("a survey is chosen by slug or by id, a linked one before the others", async () => {
    const surveys = [survey(), survey({ id: "nps-1", slug: "nps", type: "nps" })];
    const showTokens = { "csat": "st1.a", "nps-1": "st1.b" };
    const client = respondent(aService(definitions({ surveys, showTokens })));
    expect((await client.nextAsk())?.survey.slug).toBe("csat");
    expect((await client.nextAsk({ slug: "nps" }))?.survey.id).toBe("nps-1");
    expect((await client.nextAsk({ surveyId: "nps-1" }))?.survey.id).toBe("nps-1");
    expect(await client.nextAsk({ slug: "none" })).toBeUndefined();
    client.install({ surveyId: "nps-1", token: "st2.c", sessionId: "s" });
    expect(await client.nextAsk()).toMatchObject({ isLinked: true, survey: { slug: "nps" } });
  });

  it("a token that is installed while an earlier run is asked about stays installed", async () => {
    const client = respondent(aService(definitions(), stored()));
    client.install({ surveyId: "csat", token: "st2.a", sessionId: "first" });
    const ask = (await client.nextAsk())!;
    client.install({ surveyId: "csat", token: "st2.b", sessionId: "second" });
    await ask.submit({ rating: 4 });
    expect(await client.nextAsk()).toMatchObject({ isLinked: true });
  });
});

describe("what the service sends is checked before it is used", () => {
  it("a token that is no text is none, and a survey that is none is passed over", async () => {
    const surveys = [null as never, survey()];
    const showTokens = { csat: { toString: "st1" } } as never;
    const suppression = undefined as never;
    const decisions = await respondent(aService(definitions({ surveys, suppression, showTokens }))).decide();
    expect(decisions).toEqual([{ survey: survey(), reason: "gated" }]);
  });
});

describe("who the respondent is", () => {
  it("a known person is identified", () => {
    const { respondent: who } = respondent(aService(definitions()), {
      userId: "jo",
      traits: { plan: "pro" },
    });
    expect(who).toEqual({ id: "jo", kind: "identified", traits: { plan: "pro" } });
  });

  it("a conversation has its own id, or a random one", () => {
    const conversation = respondent(aService(definitions()), { conversationId: "thread-7" }).respondent;
    expect(conversation).toEqual({ id: "thread-7", kind: "anon-conversation", traits: {} });
    const ids = [1, 2].map(() => respondent(aService(definitions())).respondent.id);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("submit", () => {
  it("sends the answer with everything that the service stores", async () => {
    const service = aService(definitions(), stored());
    const client = respondent(service, { userId: "jo", traits: { plan: "pro" } });
    client.install({
      surveyId: "csat",
      token: "st2.t",
      sessionId: "s-1",
      observationId: "o-1",
      taskType: "search",
    });
    const ask = (await client.nextAsk())!;
    await expect(ask.submit({ rating: 4, text: "fine", followUpRequested: true })).resolves.toMatchObject({
      id: "r1",
    });
    expect(service.sent[1]).toEqual({
      path: "/v1/sdk/responses",
      body: {
        key: "aw_pk_x",
        showToken: "st2.t",
        surveyId: "csat",
        rating: 4,
        text: "fine",
        followUpRequested: true,
        userId: "jo",
        identityKind: "identified",
        traits: { plan: "pro" },
        sessionId: "s-1",
        observationId: "o-1",
        taskType: "search",
      },
    });
  });

  it.each([0, 6, 4.5, Number.NaN])(
    "refuses %d on a scale of 1 to 5, and lets the person try again",
    async (rating) => {
      const service = aService(definitions(), stored());
      const ask = (await respondent(service).nextAsk())!;
      await expect(ask.submit({ rating })).rejects.toThrow("The rating must be a whole number from 1 to 5.");
      await expect(ask.submit({ rating: 5 })).resolves.toMatchObject({ ok: true });
      expect(service.sent).toHaveLength(2);
    },
  );

  it("counts the length of a text in characters, not in halves of them", async () => {
    const ask = (await respondent(aService(definitions(), stored())).nextAsk())!;
    await expect(ask.submit({ rating: 5, text: "😀".repeat(10_001) })).rejects.toThrow(
      "more than 10000 characters",
    );
    await expect(ask.submit({ rating: 5, text: "😀".repeat(10_000) })).resolves.toMatchObject({ ok: true });
  });

  it.each([{}, { ok: true }])("takes a 200 with %j for no confirmation", async (body) => {
    const ask = (await respondent(aService(definitions(), Response.json(body))).nextAsk())!;
    await expect(ask.submit({ rating: 5 })).rejects.toThrow(ConnectionError);
  });

  it("never lets a dismissal follow, which could take the token from the answer", async () => {
    const ask = (await respondent(aService(definitions(), stored())).nextAsk())!;
    const submitting = ask.submit({ rating: 5 });
    await expect(ask.dismiss()).rejects.toThrow("has already begun to submit");
    await submitting;
  });

  describe("whose reply was lost", () => {
    const used = (existing?: object) =>
      Response.json(
        { type: "about:blank", title: "x", status: 409, code: "token_used", existing },
        { status: 409 },
      );
    const existing = { id: "r9", at: "2026-11-21T09:00:00.000Z", kind: "response" };

    it.each([
      ["names it", used(existing), { ok: true, id: "r9", at: existing.at }],
      ["is no problem document", new Response("<html>", { status: 409 }), { ok: true }],
    ])("is a success when it is submitted again by hand, and the 409 %s", async (_, reply, known) => {
      const service = aService(definitions(), new TypeError("fetch failed"), reply);
      const ask = (await respondent(service, { maxRetries: 0 }).nextAsk())!;
      await expect(ask.submit({ rating: 5 })).rejects.toThrow(ConnectionError);
      expect(await ask.submit({ rating: 5 })).toStrictEqual(known);
    });

    it("is a failure when another one was tried before, or when it was refused like this before", async () => {
      const replies = [new TypeError("fetch failed"), used(existing), used(existing), used(existing)];
      const ask = (await respondent(aService(definitions(), ...replies), { maxRetries: 0 }).nextAsk())!;
      await expect(ask.submit({ rating: 5 })).rejects.toThrow(ConnectionError);
      await expect(ask.submit({ rating: 1 })).rejects.toThrow(ApiError);
      await expect(ask.submit({ rating: 1 })).rejects.toThrow(ApiError);
      await expect(ask.submit({ rating: 5 })).resolves.toMatchObject({ id: "r9" });
    });

    it("is a success when it is submitted once more after it was stored", async () => {
      const ask = (await respondent(aService(definitions(), stored(), used(existing))).nextAsk())!;
      await ask.submit({ rating: 5 });
      await expect(ask.submit({ rating: 5 })).resolves.toMatchObject({ id: "r9" });
    });
  });
});

describe("against the real service", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startTestService([eachRunSurvey])));
  afterAll(() => service[Symbol.asyncDispose]());

  const aPerson = (options: RespondentOptions = {}) =>
    new AfterwordRespondent({ publishableKey: service.publishableKey, baseUrl: service.url, ...options });

  it("an answer with a minted token is linked to its session", async () => {
    const { tokens } = await service
      .client()
      .mint({ respondentId: "jo", sessionId: "s-linked", surveyId: "csat" });
    const person = aPerson({ userId: "jo" });
    person.install({ surveyId: "csat", token: tokens["csat"]!, sessionId: "s-linked" });
    const { id } = await (await person.nextAsk({ slug: "csat" }))!.submit({ rating: 2 });
    const pending = [];
    for await (const row of service.client().pendingScores()) pending.push(row);
    expect(pending).toEqual([expect.objectContaining({ id, sessionId: "s-linked", rating: 2 })]);
    expect(await person.nextAsk({ slug: "csat" })).toBeUndefined();
    expect(await aPerson({ userId: "jo" }).nextAsk({ slug: "csat" })).toBeUndefined();
  });

  it("a survey of each run is asked again in the next run, and once in each", async () => {
    const [respondentId, surveyId] = ["lee", "each-run"];
    const person = aPerson({ userId: respondentId });
    const installed: InstalledToken[] = [];
    for (const sessionId of ["first", "second"]) {
      const { tokens } = await service.client().mint({ respondentId, sessionId, surveyId });
      installed.push({ surveyId, token: tokens[surveyId]!, sessionId });
      person.install(installed.at(-1)!);
      const ask = await person.nextAsk({ slug: surveyId });
      expect(ask).toMatchObject({ isLinked: true });
      await ask!.submit({ rating: 4 });
    }
    for (const token of installed) {
      person.install(token);
      expect(await person.nextAsk({ slug: surveyId })).toBeUndefined();
    }
  });

  it("a dismissal is remembered for the person", async () => {
    await (await aPerson({ userId: "kim" }).nextAsk({ slug: "nps" }))!.dismiss();
    const decisions = await aPerson({ userId: "kim" }).decide();
    expect(decisions.map(({ survey: { slug }, reason }) => [slug, reason])).toEqual([
      ["csat", undefined],
      ["each-run", "gated"],
      ["nps", "suppressed"],
    ]);
  });
});

describe("options that cannot work are refused before any request", () => {
  it.each([
    [{ publishableKey: "" }, "No publishable key: pass publishableKey or set AFTERWORD_PUBLISHABLE_KEY."],
    [{ publishableKey: "aw_sk_private" }, "publishableKey is a secret key"],
    [{ baseUrl: "" }, "No base URL"],
    [{ userId: "" }, "userId and conversationId must not be empty."],
  ])("%o", (options, message) => {
    expect(() => respondent(aService(definitions()), options)).toThrow(message);
  });

  it.each(["surveyId", "token", "sessionId"])("a token without %s", (name) => {
    const client = respondent(aService(definitions()));
    const token = { surveyId: "csat", token: "st2.t", sessionId: "s", [name]: "" };
    expect(() => client.install(token)).toThrow(`install needs ${name}.`);
  });
});

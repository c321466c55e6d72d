// @vitest-environment node
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newPerson } from "../../fixtures/start.ts";
import { mint, pendingSessions, publishableKey, useService, storedFor } from "../../fixtures/test-service.ts";
import { createHeadlessAfterword, openAppPage, type AppPageOptions, type AppState } from "../headless.ts";
import { createThumbs } from "../thumbs.ts";

const service = useService();

/** What React Native lacks, at the least. */
const absent = ["addEventListener", "document", "localStorage", "navigator", "sessionStorage", "window"];
/** It lacks these too; here Node's own fetch looks at their types. */
const unusable = ["Blob", "BroadcastChannel", "CustomEvent", "EventTarget"];

beforeEach(() => {
  absent.forEach((name) => vi.stubGlobal(name, undefined));
  function unusableHere() {
    throw new ReferenceError("an app has none");
  }
  unusable.forEach((name) => vi.stubGlobal(name, unusableHere));
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => expect.fail("an app has none"));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** AsyncStorage, with what one device holds. */
function aStorage() {
  const held = new Map<string, string>([["of-the-app", "1"]]);
  return {
    held,
    getAllKeys: async () => [...held.keys()],
    getItem: async (name: string) => held.get(name) ?? null,
    setItem: async (name: string, value: string) => void held.set(name, value),
    removeItem: async (name: string) => void held.delete(name),
  };
}

/** An app that was started on a device, and what the system tells it. */
async function startApp(options: AppPageOptions = {}, baseUrl = service.url) {
  let tell!: (state: AppState) => void;
  const page = await openAppPage({ lifeCycle: (hear) => (tell = hear), ...options });
  const afterword = createHeadlessAfterword({ key: publishableKey, baseUrl, consent: "granted" }, page);
  const errors = vi.fn<(error: Error) => void>();
  afterword.on("error", errors);
  return { afterword, errors, tell };
}

async function opened(app: Awaited<ReturnType<typeof startApp>>, person: string) {
  app.afterword.identify(person);
  app.afterword.ask("when-asked");
  return vi.waitUntil(() => app.afterword.getSurvey(), { timeout: 10_000 });
}

describe("an app without window, document and addEventListener", () => {
  it("shows a survey and sends its answer", async () => {
    const person = newPerson();
    const app = await startApp();
    const changes = vi.fn<() => void>();
    app.afterword.subscribe(changes);
    const survey = await opened(app, person);
    expect(survey.survey.question).toBe("How did it go?");
    expect(await survey.submit({ rating: 9, text: "From a phone" })).toBe("stored");
    survey.done();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 9, text: "From a phone" }]);
    expect([changes.mock.calls.length, app.errors.mock.calls]).toEqual([2, []]);
  });

  it("rates a run by thumbs, linked to its session", async () => {
    const person = newPerson();
    const { afterword, errors } = await startApp();
    afterword.identify(person);
    const thumbs = createThumbs(afterword.rate, await mint(service, "auto", person, "run-on-a-phone"));
    thumbs.press("up");
    thumbs.send();
    await vi.waitUntil(() => thumbs.getState().stage === "stored", { timeout: 10_000 });
    expect(await pendingSessions(service)).toContain("run-on-a-phone");
    expect(errors.mock.calls).toEqual([]);
  });

  it("says what to pass where a page was expected", () => {
    vi.stubGlobal("window", globalThis);
    expect(() => createHeadlessAfterword({ key: publishableKey, baseUrl: service.url })).toThrow(
      "no document here; pass `await openAppPage()` as second argument",
    );
  });

  it("says what to pass where there are no random numbers", async () => {
    vi.stubGlobal("crypto", undefined);
    await expect(openAppPage()).rejects.toThrow("pass `crypto`, such as expo-crypto");
  });
});

describe("the app's life cycle", () => {
  it("a chosen rating is sent when the app goes to the background and returns", async () => {
    const person = newPerson();
    const app = await startApp();
    const survey = await opened(app, person);
    survey.rate(3);
    app.tell("inactive");
    app.tell("background");
    app.tell("active");
    await vi.waitFor(async () => expect(await storedFor(service, person)).toMatchObject([{ rating: 3 }]));
  });

  it("a vote that waits is sent when the app goes to the background", async () => {
    const person = newPerson();
    const { afterword, tell } = await startApp();
    afterword.identify(person);
    const thumbs = createThumbs(afterword.rate, {
      ...(await mint(service, "auto", person, "run-left")),
      holdInMs: 3_600_000,
    });
    thumbs.press("down");
    // The vote enters the outbox once its file has loaded.
    await vi.waitFor(async () => {
      tell("background");
      expect(await pendingSessions(service)).toContain("run-left");
    });
  });

  it("an answer from a time without network is sent when the network returns", async () => {
    const person = newPerson();
    const app = await startApp();
    const survey = await opened(app, person);
    const delivered = vi.fn<() => void>();
    app.afterword.on("delivered", delivered);
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Network request failed")));
    expect(await survey.submit({ rating: 6 })).toBe("queued");
    vi.unstubAllGlobals();
    app.tell("online");
    await vi.waitFor(() => expect(delivered).toHaveBeenCalledOnce());
    expect(await storedFor(service, person)).toMatchObject([{ rating: 6 }]);
  });
});

describe("the app's storage", () => {
  it("keeps the person and an unsent answer from one start to the next", async () => {
    const storage = aStorage();
    const first = await startApp({ storage });
    const person = first.afterword.respondent();
    first.afterword.ask("when-asked");
    const survey = await vi.waitUntil(() => first.afterword.getSurvey(), { timeout: 10_000 });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Network request failed")));
    expect(await survey.submit({ rating: 2 })).toBe("queued");
    first.afterword.destroy();
    vi.unstubAllGlobals();
    const second = await startApp({ storage });
    expect(second.afterword.respondent()).toEqual({ id: person!.id, kind: "anon-device" });
    await vi.waitFor(async () => expect(await storedFor(service, person!.id)).toMatchObject([{ rating: 2 }]));
    await vi.waitUntil(() => ![...storage.held.keys()].some((name) => name.includes(":outbox:")), {
      timeout: 10_000,
    });
  });

  it("that fails costs no answer", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const fail = () => Promise.reject(new Error("disk full"));
    const person = newPerson();
    const app = await startApp({ storage: { ...aStorage(), getAllKeys: fail, setItem: fail } });
    const survey = await opened(app, person);
    expect(await survey.submit({ rating: 7 })).toBe("stored");
    expect(warn).toHaveBeenCalledWith("afterword: the app's storage failed: Error: disk full");
  });
});

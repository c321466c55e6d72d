import { beforeEach, describe, expect, it, vi } from "vitest";
import { newPerson } from "../../../fixtures/start.ts";
import { TestPage } from "../../../fixtures/test-page.ts";
import { mint, publishableKey, useService } from "../../../fixtures/test-service.ts";
import { defineSurveyElement } from "../../element/define-survey-element.ts";
import { OpenSurveys } from "../asking/open-surveys.ts";
import { Client } from "./client.ts";
import type { AfterwordOptions } from "../public/options.ts";
import type { SurveyViewOptions } from "../public/survey.ts";

const service = useService();

/** A client in the test's own document, what it draws by slot, and what it told in order. */
function open(options: Partial<AfterwordOptions> = {}) {
  const tab = new TestPage();
  const story: string[] = [];
  const views = new Map<Element | undefined, SurveyViewOptions>();
  const client = new Client(
    { key: publishableKey, baseUrl: service.url, ...options },
    { ...tab.page, document },
    {
      asking: async () => ({ OpenSurveys }),
      rating: () => import("../rating/rate.ts"),
      view: async () => ({
        showSurvey(view) {
          const { slot } = view;
          views.set(slot, view);
          const end = () => views.delete(slot) && view.closed();
          return { close: end };
        },
      }),
      debug: () => import("../explain/index.ts"),
    },
  );
  client.on("notShown", ({ slug, reason }) => story.push(`${reason} ${slug}`));
  client.on("error", ({ code, message }) => story.push(`${code}: ${message}`));
  return { client, tab, story, views };
}

const newSlot = () => document.body.appendChild(document.createElement("div"));

/** The tokens of several runs of one person. */
const mintFor = (person: string, sessions: string[], surveyId = "inline") =>
  Promise.all(sessions.map((session) => mint(service, surveyId, person, session)));

beforeEach(() => document.body.replaceChildren());

describe("surveys in elements of the page", () => {
  it("are open at the same time, each answered on its own run", async () => {
    const person = newPerson();
    const { client, tab, story, views } = open();
    client.identify(person);
    for (const run of await mintFor(person, ["a", "b", "c"]))
      client.ask("in-the-page", { slot: newSlot(), ...run });
    await tab.settle();
    expect(story).toEqual([]);
    const ratings = [5, 3, 1];
    for (const view of views.values()) if (view.slot) await view.submit({ rating: ratings.shift()! });
    const sent = tab.sent("/v1/sdk/responses").map(({ body }) => [body["sessionId"], body["rating"]]);
    expect(sent).toEqual([
      ["a", 5],
      ["b", 3],
      ["c", 1],
    ]);
  });

  it("leave room for one over the page, which is still one at a time", async () => {
    const person = newPerson();
    const { client, tab, story, views } = open();
    client.identify(person);
    const [run] = await mintFor(person, ["a"]);
    client.ask("in-the-page", { slot: newSlot(), ...run! });
    client.ask("by-itself");
    client.ask("when-asked");
    await tab.settle();
    expect([...views.values()].map(({ survey }) => survey.slug).sort()).toEqual([
      "in-the-page",
      "when-asked",
    ]);
    expect(story).toEqual(["superseded by-itself"]);
  });

  it("are one per element: a second ask for the same one is told as busy", async () => {
    const person = newPerson();
    const { client, tab, story } = open();
    client.identify(person);
    const slot = newSlot();
    const [run] = await mintFor(person, ["a"]);
    client.ask("in-the-page", { slot, ...run! });
    await tab.settle();
    client.ask("in-the-page", { slot, ...run! });
    await tab.settle();
    expect(story).toEqual(["busy in-the-page"]);
  });

  it("stay at the next task if they have a token of their own; others that nobody touched go", async () => {
    const person = newPerson();
    const { client, tab, views } = open();
    client.identify(person);
    const [run] = await mintFor(person, ["a"]);
    const own = newSlot();
    client.ask("in-the-page", { slot: own, ...run! });
    client.ask("in-the-page", { slot: newSlot() });
    await tab.settle();
    expect(views.size).toBe(3);
    client.task();
    expect([...views.keys()]).toEqual([own]);
  });

  it("wait for the person's consent, unless their element has left the page by then", async () => {
    const person = newPerson();
    const { client, tab, story, views } = open({ consent: "required" });
    client.identify(person);
    const [first, second] = await mintFor(person, ["a", "b"]);
    const [gone, stays] = [newSlot(), newSlot()];
    client.ask("in-the-page", { slot: gone, ...first! });
    client.ask("in-the-page", { slot: stays, ...second! });
    await tab.settle();
    gone.remove();
    client.consent(true);
    await tab.settle();
    expect(story).toEqual(["consent in-the-page", "consent in-the-page"]);
    expect(views.has(gone)).toBe(false);
    expect(views.has(stays)).toBe(true);
  });

  it.each([
    ["no session", { token: "st2.x", surveyId: "inline" }],
    ["no survey", { token: "st2.x", sessionId: "a" }],
    ["no token", { surveyId: "inline", sessionId: "a" }],
  ])("with %s are an error, and nothing unlinked is shown instead", async (_, run) => {
    const { client, tab, story, views } = open();
    const ask = () => client.ask("in-the-page", { slot: newSlot(), ...run });
    expect(ask).toThrow("surveyId, token and sessionId must be text");
    await tab.settle();
    expect(story).toEqual([]);
    expect(views.has(undefined)).toBe(true);
    expect(views.size).toBe(1);
  });

  it("with the token of another survey are an error", async () => {
    const { client, tab, story } = open();
    const [run] = await mintFor("someone", ["a"], "manual");
    client.ask("in-the-page", { slot: newSlot(), ...run! });
    await tab.settle();
    expect(story).toEqual([
      'invalid_argument: the token is for survey "manual" and not "inline"',
      "unlinked in-the-page",
    ]);
  });
});

describe("<afterword-survey>", () => {
  it("takes the run from its attributes, and asks anew when they change", async () => {
    const person = newPerson();
    const { client, tab, views } = open();
    defineSurveyElement((...given) => client.ask(...given));
    client.identify(person);
    const [first, second] = await mintFor(person, ["a", "b"]);
    const element = document.createElement("afterword-survey");
    const take = (run: typeof first) => {
      element.setAttribute("slug", "in-the-page");
      element.setAttribute("survey-id", run!.surveyId);
      element.setAttribute("token", run!.token);
      element.setAttribute("session-id", run!.sessionId);
    };
    take(first);
    const shown = () => vi.waitUntil(() => tab.settle().then(() => views.get(element)));
    document.body.append(element);
    await (await shown()).submit({ rating: 4 });
    // What the view does when its element is taken away.
    views.get(element)!.closed();
    views.delete(element);
    take(second);
    await (await shown()).submit({ rating: 2 });
    expect(tab.sent("/v1/sdk/responses").map(({ body }) => body["sessionId"])).toEqual(["a", "b"]);
  });
});

// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { mint, useService, surveys } from "../../../fixtures/test-service.ts";

const service = useService();

const manual = surveys.filter(({ id, trigger }) => trigger === "manual" && id !== "half");
const tokensOf = (all: readonly { id: string }[]) =>
  Object.fromEntries(all.map(({ id }) => [id, `st1.${id}`]));

/** A page of a project in which no survey asks by itself. */
const startManual = () =>
  start(
    service.url,
    {},
    {
      fault: (path) =>
        path.endsWith("bootstrap")
          ? Response.json({ surveys: manual, suppression: [], showTokens: tokensOf(manual) })
          : undefined,
    },
  );

describe("a survey with a manual trigger", () => {
  it("gives its reason, with its id, when a run has ended whose token the page has", async () => {
    const person = newPerson();
    const { afterword, tab, events, shown } = start(service.url);
    afterword.identify(person);
    afterword.task();
    afterword.install(await mint(service, "manual", person, "run-1"));
    afterword.resolve();
    await tab.settle();
    expect(events.notShown).toContainEqual({ surveyId: "manual", slug: "when-asked", reason: "manual" });
    // One that asks by itself does so beside it.
    expect(shown()).toBe("by-itself");
  });

  it("gives it in the console, with what to call", async () => {
    const { afterword, tab } = start(service.url, { debug: true });
    afterword.install({ surveyId: "manual", token: "st1.x", sessionId: "run-1" });
    await tab.settle();
    expect(tab.lines).toContain(
      'afterword: "when-asked" is not shown (manual): its trigger is manual, so it waits for the page: call ask("when-asked").',
    );
  });

  it("gives it once for a run", async () => {
    const { afterword, tab, events } = start(service.url);
    afterword.install({ surveyId: "manual", token: "st1.x", sessionId: "run-1" });
    await tab.settle();
    afterword.identify(newPerson());
    await tab.settle();
    expect(events.notShown.filter(({ reason }) => reason === "manual")).toHaveLength(1);
  });

  it("gives none while the page calls ask", async () => {
    const { afterword, tab, events, shown } = startManual();
    afterword.task();
    afterword.install({ surveyId: "manual", token: "st1.x", sessionId: "run-1" });
    afterword.resolve();
    afterword.ask("when-asked");
    await tab.settle();
    expect(shown()).toBe("when-asked");
    afterword.getSurvey()!.dismiss();
    await tab.settle();
    expect(events.notShown).toEqual([]);
  });

  it("gives none at page load, when no run has ended", async () => {
    const { tab, events } = startManual();
    await tab.settle();
    expect(events.notShown).toEqual([]);
  });

  it("gives it when a run without a token has ended, and no survey asks by itself", async () => {
    const { afterword, tab, events } = startManual();
    afterword.task();
    afterword.resolve();
    await tab.settle();
    expect(events.notShown.map(({ slug, reason }) => [slug, reason])).toEqual(
      manual.map(({ slug }) => [slug, "manual"]),
    );
  });

  it("gives a better reason if there is one", async () => {
    const { afterword, tab, whyNot } = start(service.url, { muted: true });
    afterword.install({ surveyId: "manual", token: "st1.x", sessionId: "run-1" });
    afterword.resolve();
    await tab.settle();
    expect(whyNot("when-asked")).toBe("muted");
  });
});

// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../fixtures/start.ts";
import { aDevice } from "../../fixtures/test-page.ts";
import { mint, startService, storedFor, surveys, useService } from "../../fixtures/test-service.ts";

const service = useService();

describe("a survey that the page draws itself", () => {
  it("keeps the rating that was chosen when only the text is saved", async () => {
    const person = newPerson();
    const device = aDevice();
    const opened = start(service.url, { consent: "granted" }, { device });
    opened.afterword.identify(person);
    const survey = (await opened.ask("when-asked"))!;
    survey.rate(4);
    survey.saveDraft({ text: "unfinished" });
    expect(JSON.stringify(device.local)).toContain(String.raw`\"rating\":4,\"text\":\"unfinished\"`);
    survey.dismiss();
    await opened.tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 4 }]);
  });

  it("leaves no unfinished words on the device when it is dismissed", async () => {
    const device = aDevice();
    const { ask } = start(service.url, { consent: "granted" }, { device });
    const survey = (await ask("when-asked"))!;
    survey.saveDraft({ text: "better not" });
    survey.dismiss();
    expect(device.session).toEqual({});
  });

  it("sends and keeps nothing more once it is gone, and throws nothing", async () => {
    const device = aDevice();
    const { ask, tab, events } = start(service.url, { consent: "granted" }, { device });
    const survey = (await ask("when-asked"))!;
    survey.done();
    const sent = tab.requests.length;
    expect(await survey.submit({ rating: 3 })).toBe("refused");
    survey.saveDraft({ text: "too late" });
    survey.dismiss();
    await tab.settle();
    expect(tab.requests).toHaveLength(sent);
    expect(device.session).toEqual({});
    expect([...events.submitted, ...events.dismissed, ...events.error]).toEqual([]);
  });
});

it("a survey of thumbs offers 1 and 5, and sends no other rating, nor one that is given by rate", async () => {
  const [definition] = surveys;
  const thumbs = { ...definition, id: "thumbs", slug: "thumbs", thumbs: true, trigger: "manual" } as const;
  await using own = await startService(undefined, undefined, [thumbs]);
  const { afterword, ask, events, tab } = start(own.url);
  const person = newPerson();
  afterword.identify(person);
  const run = await mint(own, "thumbs", person, "run");
  const survey = (await ask("thumbs"))!;
  expect(survey.ratings).toEqual([1, 5]);
  survey.rate(4);
  expect([await survey.submit({ rating: 3 }), await afterword.rate(run, { rating: 2 })]).toEqual([
    "refused",
    "refused",
  ]);
  expect(events.error.map(({ message }) => message)).toEqual(Array(3).fill("survey thumbs takes 1, 5"));
  expect([events.rated, tab.sent("/v1/sdk/responses")]).toEqual([[], []]);
  expect([await survey.submit({ rating: 5 }), await afterword.rate(run, { rating: 1 })]).toEqual([
    "stored",
    "stored",
  ]);
});

describe("subscribing", () => {
  it("a subscriber that throws disturbs neither the next one nor the survey", async () => {
    const { afterword, ask, events, tab } = start(service.url);
    const seen: (string | undefined)[] = [];
    afterword.subscribe(() => {
      throw new Error("of the host page");
    });
    afterword.subscribe(() => seen.push(afterword.getSurvey()?.survey.slug));
    (await ask("when-asked"))!.dismiss();
    await tab.settle();
    expect(seen).toEqual(["when-asked", undefined]);
    expect(events.error).toEqual([]);
    expect(events.closed).toHaveLength(1);
  });
});

describe("a part of the page that claims a survey and goes away", () => {
  it("sends a rating that was chosen, and no dismissal otherwise", async () => {
    const person = newPerson();
    const { afterword, ask, events, tab } = start(service.url);
    afterword.identify(person);
    const release = afterword.claim("when-asked");
    await ask("when-asked");
    release();
    expect([afterword.getSurvey(), events.closed.length]).toEqual([undefined, 1]);
    const again = afterword.claim("when-asked");
    (await ask("when-asked"))!.rate(6);
    again();
    again();
    await tab.settle();
    expect(events.dismissed).toEqual([]);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 6 }]);
  });

  it("leaves it open for another part that claims it too", async () => {
    const { afterword, ask } = start(service.url);
    const release = afterword.claim("when-asked");
    const releaseAll = afterword.claim();
    await ask("when-asked");
    release();
    expect(afterword.getSurvey("when-asked")).toBeDefined();
    expect(afterword.getSurvey("another")).toBeUndefined();
    releaseAll();
    expect(afterword.getSurvey()).toBeUndefined();
  });
});

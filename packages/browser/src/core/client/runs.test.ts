// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice } from "../../../fixtures/test-page.ts";
import { mint, useService } from "../../../fixtures/test-service.ts";

const service = useService();

/** A page of one person on one device, with a survey shown for the run of a token. */
async function showing(
  person: string,
  device: ReturnType<typeof aDevice>,
  run: Awaited<ReturnType<typeof mint>>,
) {
  const opened = start(service.url, { consent: "granted" }, { device });
  opened.afterword.identify(person);
  opened.afterword.install(run);
  return { ...opened, survey: await opened.ask("when-asked") };
}

describe("what the device remembers", () => {
  it("is about one run: a token of another run is shown, one of the same run is not", async () => {
    const person = newPerson();
    const device = aDevice();
    // Minted before any answer, for a service that asks once suppresses the person afterwards.
    const [first, second] = [
      await mint(service, "manual", person, "one"),
      await mint(service, "manual", person, "two"),
    ];
    const opened = await showing(person, device, first);
    expect(await opened.survey!.submit({ rating: 5 })).toBe("stored");
    opened.survey!.done();
    opened.afterword.install(first);
    expect(await opened.ask("when-asked")).toBeUndefined();
    expect(opened.whyNot("when-asked")).toBe("suppressed");
    opened.afterword.install(second);
    expect(await opened.ask("when-asked")).toBeDefined();
  });

  it("unfinished on one run is not restored on another", async () => {
    const person = newPerson();
    const device = aDevice();
    const opened = await showing(person, device, await mint(service, "manual", person, "one"));
    opened.survey!.saveDraft({ text: "of the first run" });
    opened.afterword.destroy();
    const next = await showing(person, device, await mint(service, "manual", person, "two"));
    expect(next.survey!.draft).toEqual({});
  });
});

describe("several tokens installed for one survey", () => {
  it("are shown one after the other, newest first, each for its own run", async () => {
    const person = newPerson();
    const runs = ["one", "two", "three"];
    const tokens = await Promise.all(runs.map((session) => mint(service, "manual", person, session)));
    const { afterword, ask, tab } = start(service.url);
    afterword.identify(person);
    tokens.forEach(afterword.install);
    for (const rating of [3, 2, 1]) {
      const survey = await ask("when-asked");
      expect(await survey!.submit({ rating })).toBe("stored");
      survey!.done();
    }
    const sent = tab.sent("/v1/sdk/responses").map(({ body }) => [body["sessionId"], body["rating"]]);
    expect(sent).toEqual([
      ["three", 3],
      ["two", 2],
      ["one", 1],
    ]);
    expect(await ask("when-asked")).toBeUndefined();
  });

  it("are told apart by their observation too", async () => {
    const person = newPerson();
    const { afterword, ask, events } = start(service.url);
    afterword.identify(person);
    const token = await mint(service, "manual", person, "one");
    afterword.install({ ...token, observationId: "first" });
    afterword.install({ ...token, observationId: "second" });
    for (let count = 0; count < 2; count++) {
      const survey = await ask("when-asked");
      survey!.dismiss();
    }
    expect(events.shown.map(({ observationId }) => observationId)).toEqual(["second", "first"]);
  });
});

describe("two tabs", () => {
  it.each([
    ["one run", "one", false],
    ["two runs", "two", true],
  ])(
    "on %s: an answer in one closes the other if both are about the same run",
    async (_, session, isLeft) => {
      const person = newPerson();
      const device = aDevice();
      const first = await showing(person, device, await mint(service, "manual", person, "one"));
      const second = await showing(
        person,
        { ...device, session: {} as Storage },
        await mint(service, "manual", person, session),
      );
      await first.survey!.submit({ rating: 5 });
      await first.tab.settle();
      await second.tab.settle();
      expect(second.shown() === "when-asked").toBe(isLeft);
      first.afterword.destroy();
      second.afterword.destroy();
    },
  );
});

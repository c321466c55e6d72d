// @vitest-environment node
import type { RunningServer } from "@afterword/reference-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice, type TestPageOptions } from "../../../fixtures/test-page.ts";
import { mint, startService, storedFor } from "../../../fixtures/test-service.ts";

const dayInMs = 86_400_000;
const responses = "/v1/sdk/responses";

let service: RunningServer;
let now = Date.now();
/** What the service and the pages that are opened from then on read. */
const passDays = (days: number) => (now += days * dayInMs);

beforeAll(async () => {
  service = await startService({ after: "30d" }, { now: () => now, monotonic: () => now });
});
afterAll(() => service.close());

let person: string;
let device: ReturnType<typeof aDevice>;
beforeEach(() => {
  person = newPerson();
  device = aDevice();
});

/** A new page of the same person on the same device. */
function open(options: TestPageOptions = {}) {
  const opened = start(service.url, { consent: "granted" }, { device, now: ++now, ...options });
  opened.afterword.identify(person);
  return opened;
}

/** Answers the survey, and closes the page. */
async function answer(options?: TestPageOptions) {
  const { afterword, ask, tab } = open(options);
  const result = await (await ask("when-asked"))!.submit({ rating: 9 });
  await tab.settle();
  afterword.destroy();
  return result;
}

describe("a survey that is asked again after 30 days", () => {
  it("is not asked on the same device before, and is asked after", async () => {
    expect(await answer()).toBe("stored");
    passDays(29);
    const { ask, whyNot } = open();
    expect(await ask("when-asked")).toBeUndefined();
    expect(whyNot("when-asked")).toBe("suppressed");
    passDays(2);
    expect(await answer()).toBe("stored");
    expect(await storedFor(service, person)).toHaveLength(2);
  });

  it("is asked again after a dismissal that was delivered", async () => {
    const { afterword, ask, tab } = open();
    (await ask("when-asked"))!.dismiss();
    await tab.settle();
    afterword.destroy();
    expect(await open().ask("when-asked")).toBeUndefined();
    passDays(31);
    expect(await open().ask("when-asked")).toBeDefined();
  });

  it("is asked again after an answer that came second, as the service said", async () => {
    const existing = { id: "r1", at: "", kind: "dismissal" };
    const known = Response.json({ code: "token_used", existing }, { status: 409 });
    expect(await answer({ fault: (path) => (path === responses ? known : undefined) })).toBe("refused");
    passDays(31);
    expect(await open().ask("when-asked")).toBeDefined();
  });
});

describe("the device knows better than the service", () => {
  it("while an answer waits in the outbox, however long", async () => {
    const lost: TestPageOptions["fault"] = (path) => (path === responses ? "lost" : undefined);
    expect(await answer({ fault: lost })).toBe("queued");
    passDays(1);
    const { ask, whyNot } = open({ fault: lost });
    expect(await ask("when-asked")).toBeUndefined();
    expect(whyNot("when-asked")).toBe("suppressed");
  });

  it("after an answer that the service has refused", async () => {
    const fault = (path: string) => (path === responses ? new Response("{}", { status: 404 }) : undefined);
    expect(await answer({ fault })).toBe("refused");
    expect(await open().ask("when-asked")).toBeUndefined();
  });

  it("until bootstrap is asked after the delivery: the tokens that a page has from before do not count", async () => {
    const other = open();
    await other.tab.settle();
    const { ask, tab, whyNot } = open();
    const survey = await ask("when-asked");
    await tab.advance(1000);
    expect(await survey!.submit({ rating: 9 })).toBe("stored");
    survey!.done();
    for (const page of [{ ask, whyNot }, other]) {
      await page.ask("when-asked");
      expect(page.whyNot("when-asked")).toBe("suppressed");
    }
  });
});

describe("an installed token", () => {
  it("is shown although the survey was answered on this device, unless bootstrap lists it", async () => {
    const run = await mint(service, "manual", person, "run");
    await answer();
    const { afterword, ask, whyNot } = open();
    afterword.install(run);
    expect(await ask("when-asked")).toBeUndefined();
    expect(whyNot("when-asked")).toBe("suppressed");
    passDays(31);
    const later = open();
    later.afterword.install(await mint(service, "manual", person, "later"));
    expect(await later.ask("when-asked")).toBeDefined();
  });
});

describe("what `rate` leaves on the device", () => {
  const names = () => Object.keys(device.local).filter((name) => name.includes(":asked:"));
  const rate = ({ afterword }: ReturnType<typeof open>, sessionId: string) =>
    afterword.rate({ surveyId: "manual", token: "st2.none", sessionId }, { rating: 1 });

  it("is bounded", async () => {
    const page = open();
    for (let count = 0; count < 110; count++) await rate(page, `${count}`);
    expect(names()).toHaveLength(97);
  });

  it("gives way by its age, in whatever order the browser lists it", async () => {
    const page = open();
    for (const sessionId of ["often", "once"]) await rate(page, sessionId);
    const [often, once] = names();
    await page.tab.advance(1000);
    for (let count = 0; count < 95; count++) await rate(page, `${count}`);
    await page.tab.advance(1000);
    await rate(page, "often");
    for (let count = 95; count < 98; count++) await rate(page, `${count}`);
    expect([names().includes(often!), names().includes(once!)]).toEqual([true, false]);
  });
});

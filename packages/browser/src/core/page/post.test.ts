// @vitest-environment node
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice, type Fault } from "../../../fixtures/test-page.ts";
import { mint, pendingSessions, useService, storedFor } from "../../../fixtures/test-service.ts";

const service = useService();

const bootstrap = "/v1/sdk/bootstrap";
const responses = "/v1/sdk/responses";
const isJson = (init: RequestInit) => new Headers(init.headers).has("content-type");

describe("a service that reads only JSON", () => {
  // The page cannot read a refusal without CORS headers: to it, it is no reply at all.
  it.each([
    ["415", () => new Response("{}", { status: 415 })],
    ["401", () => new Response("{}", { status: 401 })],
    ["a refusal that the page cannot read", () => "lost"],
  ] as [string, () => Fault][])("and answers text with %s is asked again as JSON", async (_, refuse) => {
    const person = newPerson();
    const fault = (__: string, ___: number, init: RequestInit) => (isJson(init) ? undefined : refuse());
    const { afterword, ask, tab, events } = start(service.url, {}, { fault });
    afterword.identify(person);
    expect(await (await ask("when-asked"))!.submit({ rating: 1 })).toBe("stored");
    expect(tab.sent(bootstrap).map(({ init }) => isJson(init))).toEqual([false, true]);
    expect(tab.sent(responses).map(({ init }) => isJson(init))).toEqual([true]);
    expect(events.error).toEqual([]);
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("loses no session-bound answer that was sent as text before it was known", async () => {
    const device = aDevice();
    const person = newPerson();
    const away = start(
      service.url,
      { consent: "granted" },
      { device, fault: (path) => (path === responses ? "lost" : undefined) },
    );
    away.afterword.identify(person);
    away.afterword.install(await mint(service, "manual", person, `run-of-${person}`));
    await (await away.ask("when-asked"))!.submit({ rating: 4 });
    away.afterword.destroy();
    const fault = (_: string, __: number, init: RequestInit) =>
      isJson(init) ? undefined : new Response("{}", { status: 401 });
    const next = start(service.url, { consent: "granted" }, { device, fault });
    await next.tab.settle();
    expect(next.events.delivered).toEqual([{ surveyId: "manual" }]);
    expect(await pendingSessions(service)).toContain(`run-of-${person}`);
  });
});

describe("a service that reads text", () => {
  it("is asked as JSON no more once it has understood a text", async () => {
    const fault = (path: string) => (path === responses ? new Response("{}", { status: 400 }) : undefined);
    const { ask, tab } = start(service.url, {}, { fault });
    await (await ask("when-asked"))!.submit({ rating: 1 });
    expect(tab.requests.filter(({ init }) => isJson(init))).toEqual([]);
  });

  it.each([409, 429, 500, 503])("is not asked twice when it answers %i", async (status) => {
    const { tab } = start(service.url, {}, { fault: () => new Response("{}", { status }) });
    await tab.settle();
    expect(tab.requests).toHaveLength(1);
  });
});

it.each([
  ["a proxy's page", 403, "<html>", "network", "403, but not from the service"],
  ["a list", 403, "[]", "network", "403, but not from the service"],
  ["a login page", 200, "<html>", "network", "200, but not from the service"],
  ["a refusal without a code", 403, "{}", "refused", "403"],
])("an error names %s as what it is", async (_, status, body, code, what) => {
  const { tab, events } = start(service.url, {}, { fault: () => new Response(body, { status }) });
  await tab.settle();
  expect(events.error).toMatchObject([{ code, status, message: `POST ${bootstrap}: ${what} (${code})` }]);
});

it("an answer is understood where fetch has an Object of its own, as in some test runners", async () => {
  const { ask, tab, events } = start(service.url);
  const { fetch } = tab.page;
  tab.page.fetch = async (...request) => {
    const reply = await fetch(...request);
    reply.json = async () => runInNewContext(`(${await reply.text()})`);
    return reply;
  };
  expect(await (await ask("when-asked"))!.submit({ rating: 1 })).toBe("stored");
  expect(events.error).toEqual([]);
});

import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const responses = "/v1/sdk/responses";
const portal = "<!doctype html><title>Welcome to the hotel</title>";
const html = { "content-type": "text/html" };

beforeEach(() => {
  world.proxy.fault = () => undefined;
  world.proxy.keepsConnections = false;
});

/** The page of a person who is asked, and who consents to keeping answers on the device. */
const asking = (person: string) => ({
  attributes: `data-consent="granted"`,
  before: `window.told = [];
    for (const name of ["submitted", "delivered", "error"]) {
      afterword("on", name, ({ result, status }) => told.push([name, result ?? status].filter(Boolean).join(" ")));
    }
    afterword("identify", "${person}"); afterword("ask", "when-asked");`,
});

async function rate(page: Page, value: number) {
  await page.locator(`input[value="${value}"]`).check();
  await page.getByRole("button", { name: "Send" }).click();
}

const told = (page: Page) => expect.poll(() => page.evaluate("told"), { timeout: 10_000 });

/** A fault for the first requests of one path. */
function first(path: string, ...faults: ReturnType<typeof world.proxy.fault>[]) {
  world.proxy.fault = (request) =>
    request.path === path && request.method === "POST" ? faults.shift() : undefined;
}

describe("what answers in the place of the service never gets thanks, and loses no answer:", () => {
  const answers: [string, Exclude<ReturnType<typeof world.proxy.fault>, undefined>][] = [
    ["a captive portal's page with 200", { status: 200, headers: html, body: portal }],
    ["201 with the id of nothing", { status: 201, body: `{"ok":true,"id":null}` }],
    ["a redirect to a login page", { status: 302, headers: { location: "/login" } }],
    ["a firewall's 403", { status: 403, headers: html, body: portal }],
    ["200 with an empty object", { status: 200, body: "{}" }],
    ["204", { status: 204 }],
    ["a proxy's 401", { status: 401, headers: html, body: portal }],
    ["a load balancer's 404", { status: 404, headers: html, body: "Not Found" }],
    ["a cache's 405", { status: 405, headers: html, body: "" }],
  ];
  it.each(isFullProof ? answers : answers.slice(0, 4))("%s", async (_, fault) => {
    const person = newPerson();
    const login = { status: 200, headers: html, body: portal };
    let isBetween = true;
    world.proxy.fault = ({ path }) =>
      path === "/login" ? login : path === responses && isBetween ? fault : undefined;
    const { page } = await world.open(asking(person));
    await rate(page, 4);
    await told(page).toContain("submitted queued");
    expect(await page.getByText("Thank you").count()).toBe(0);
    // The file that words an error is loaded for the first one, perhaps after the answer is told as queued.
    await told(page).toContainEqual(expect.stringMatching(/^error/));
    isBetween = false;
    await told(page).toContain("delivered");
    expect(await world.stored(person)).toMatchObject([{ rating: 4 }]);
  });
});

describe("a browser that repeats a request by itself, because a connection died that it had used before,", () => {
  it("gets 409 for its own answer: the person gets thanks, and the page a submitted event", async () => {
    const person = newPerson();
    world.proxy.keepsConnections = true;
    first(responses, "reply-lost");
    const { page } = await world.open(asking(person));
    const before = world.proxy.sent(responses).length;
    const replies: number[] = [];
    page.on("response", (reply) => reply.url().endsWith(responses) && replies.push(reply.status()));
    await rate(page, 5);
    await page.getByText("Thank you").waitFor();
    expect(world.proxy.sent(responses)).toHaveLength(before + 2);
    expect(replies).toEqual([409]);
    expect(await page.evaluate("told")).toEqual(["submitted stored"]);
    expect(await world.stored(person)).toMatchObject([{ rating: 5 }]);
  });
});

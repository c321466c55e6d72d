import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { newPerson, useStage } from "./browser-stage.ts";
import {
  type KillableChromium,
  removeProfile,
  startKillableChromium,
  type Tab,
} from "./killable-chromium.ts";

const stage = useStage();
const text = "half a sen";
const vote = { rating: 5, text: null };
const rating = { rating: 2, text };

beforeEach(() => void (stage.proxy.fault = () => undefined));

/** A browser that has just started takes its time. */
const patient = { timeout: 20_000 };
const until = (isTrue: () => unknown) => vi.waitUntil(isTrue, patient);

/** What the page loses: a held vote, or a rating that was chosen and not sent. */
const kinds = { "a vote": vote, "a chosen rating": rating };
type Kind = keyof typeof kinds;

/** The ways in which a page ends. */
const endings = {
  "crashes": (tab: Tab) => tab.crash(),
  "is hidden and then killed": async (tab: Tab) => {
    await tab.hide();
    tab.crash();
  },
  "is hidden for ten seconds and then killed": async (tab: Tab) => {
    await tab.evaluate("window.glanceInMs = 0");
    await tab.hide();
    await until(() => tab.evaluate("window.glances"));
    tab.crash();
  },
  "is frozen and then killed": async (tab: Tab) => {
    await tab.freeze();
    tab.crash();
  },
  "is closed": (tab: Tab) => tab.close(),
};
type Ending = keyof typeof endings;

/** What becomes of it: "sent" by its page, "next" page sends it, or "lost". The table of docs/browser/delivery.md. */
const table: [Kind, consent: boolean, Ending, "sent" | "next" | "lost"][] = [
  ["a vote", false, "crashes", "lost"],
  ["a vote", false, "is hidden and then killed", "sent"],
  ["a vote", false, "is frozen and then killed", "sent"],
  ["a vote", false, "is closed", "sent"],
  ["a vote", true, "crashes", "next"],
  ["a vote", true, "is hidden and then killed", "sent"],
  ["a vote", true, "is frozen and then killed", "sent"],
  ["a vote", true, "is closed", "sent"],
  ["a chosen rating", false, "crashes", "lost"],
  ["a chosen rating", false, "is hidden and then killed", "lost"],
  ["a chosen rating", false, "is hidden for ten seconds and then killed", "sent"],
  ["a chosen rating", false, "is frozen and then killed", "sent"],
  ["a chosen rating", false, "is closed", "sent"],
  ["a chosen rating", true, "crashes", "next"],
  ["a chosen rating", true, "is hidden and then killed", "next"],
  ["a chosen rating", true, "is hidden for ten seconds and then killed", "next"],
  ["a chosen rating", true, "is frozen and then killed", "next"],
  ["a chosen rating", true, "is closed", "next"],
];

/** Ten seconds pass at once where the test wants it, and are counted. */
const clock = `document.addEventListener("freeze", () => (window.isFrozen = true));
  const later = setTimeout;
  window.glances = 0;
  window.setTimeout = (run, delay, ...given) => later((...given) => {
    run(...given);
    if (delay === 10000) glances++;
  }, delay === 10000 ? (window.glanceInMs ?? delay) : delay, ...given);`;

const pageOf = (person: string, isGranted: boolean, before = "") =>
  stage.publish({
    attributes: isGranted ? `data-consent="granted"` : "",
    before: `${clock} window.stored = []; afterword("identify", "${person}"); ${before}`,
  });

const inWidget = (selector: string) =>
  `document.querySelector("afterword-view")?.shadowRoot.querySelector(${JSON.stringify(selector)})`;

/** Opens a page on which the person has voted, or has chosen a rating and begun a text. */
async function openWith(kind: Kind, browser: KillableChromium, person: string, isGranted: boolean) {
  if (kind === "a vote") {
    const run = await stage.mint("run", person, `run-of-${person}`);
    const tab = await browser.open(pageOf(person, isGranted));
    await until(() => tab.evaluate("afterword.isOpen"));
    // A withdrawn rating loads what a vote needs.
    await tab.evaluate(`afterword("rate", {}, {}, { signal: AbortSignal.abort() })`);
    await tab.evaluate(
      `void afterword("rate", ${JSON.stringify(run)}, { rating: 5 }, { delayInMs: 60000 }), new Promise((done) => setTimeout(done))`,
    );
    return tab;
  }
  const tab = await browser.open(pageOf(person, isGranted, `afterword("ask", "when-asked");`));
  await until(() => tab.evaluate(`!!${inWidget("input[value='2']")}`));
  await tab.evaluate(`${inWidget("input[value='2']")}.click()`);
  await until(() => tab.evaluate(`!!${inWidget("textarea")}`));
  await tab.evaluate(
    `{ const field = ${inWidget("textarea")}; field.value = "${text}"; field.dispatchEvent(new Event("input", { bubbles: true })); }`,
  );
  return tab;
}

/** The next page of the person, once it has asked the service. */
async function openNext(browser: KillableChromium, person: string, isGranted: boolean) {
  const bootstraps = () => stage.proxy.sent("/v1/sdk/bootstrap").length;
  const before = bootstraps();
  await browser.open(pageOf(person, isGranted));
  await until(() => bootstraps() > before);
}

/** How many answers the service has before and after the next page. */
const amounts = { sent: [1, 1], next: [0, 1], lost: [0, 0] } as const;

/** What the service has stored before and after the next page. */
async function storedAround(
  outcome: keyof typeof amounts,
  person: string,
  openNextPage: () => Promise<void>,
) {
  const [before, after] = amounts[outcome];
  const storedOf = async (amount: number) => {
    await until(async () => (await stage.stored(person)).length === amount);
    return stage.stored(person);
  };
  const first = await storedOf(before);
  await openNextPage();
  return [first, await storedOf(after)];
}

const expectedOf = (kind: Kind, outcome: keyof typeof amounts) =>
  amounts[outcome].map((amount) => (amount ? [kinds[kind]] : []));

describe("a renderer", () => {
  let browser: KillableChromium;
  beforeAll(async () => void (browser = await startKillableChromium(inject("chromiumPath"))));
  afterAll(async () => {
    await browser?.kill();
    if (browser) await removeProfile(browser.profile);
  });

  it.each(table)("with %s, consent %s, that %s: it is %s", async (kind, isGranted, ending, outcome) => {
    const person = newPerson();
    const tab = await openWith(kind, browser, person, isGranted);
    await endings[ending](tab);
    const next = () => openNext(browser, person, isGranted);
    expect(await storedAround(outcome, person, next)).toMatchObject(expectedOf(kind, outcome));
  });
});

/** Whether the browser has written it to its disk, which Chromium does some seconds later. */
async function isOnDisk(profile: string, words: string): Promise<boolean> {
  const folder = join(profile, "Default", "Local Storage", "leveldb");
  const files = await readdir(folder).catch(() => []);
  const contents = await Promise.all(
    files.map((name) => readFile(join(folder, name), "latin1").catch(() => "")),
  );
  return contents.some((content) => content.includes(words));
}

describe("a whole browser that is killed", () => {
  const untilKept = (browser: KillableChromium, person: string) =>
    until(() => isOnDisk(browser.profile, person));
  const cases: [Kind, consent: boolean, when: string, "sent" | "next" | "lost", (tab: Tab) => unknown][] = [
    ["a vote", false, "before the page is hidden", "lost", () => {}],
    ["a vote", false, "while the page is hidden", "sent", (tab) => tab.hide()],
    ["a vote", true, "before the page is hidden", "next", () => {}],
    ["a vote", true, "while the page is hidden", "sent", (tab) => tab.hide()],
    ["a chosen rating", false, "before the page is hidden", "lost", () => {}],
    ["a chosen rating", false, "while the page is frozen", "sent", (tab) => tab.freeze()],
    ["a chosen rating", true, "before the page is hidden", "next", () => {}],
    ["a chosen rating", true, "while the page is frozen", "next", (tab) => tab.freeze()],
  ];

  // Each starts two browsers.
  it.each(isFullProof ? cases : [cases[1]!, cases[6]!])(
    "with %s, consent %s, %s: it is %s",
    async (kind, isGranted, _, outcome, prepare) => {
      const person = newPerson();
      let browser = await startKillableChromium(inject("chromiumPath"));
      try {
        const tab = await openWith(kind, browser, person, isGranted);
        await prepare(tab);
        if (outcome === "sent") await until(async () => (await stage.stored(person)).length === 1);
        if (outcome === "next") await untilKept(browser, person);
        await browser.kill();
        browser = await startKillableChromium(inject("chromiumPath"), browser.profile);
        const next = () => openNext(browser, person, isGranted);
        expect(await storedAround(outcome, person, next)).toMatchObject(expectedOf(kind, outcome));
      } finally {
        await browser.kill();
        await removeProfile(browser.profile);
      }
    },
  );
});

// @vitest-environment node
import { describe, expect, it } from "vitest";
import { TestPage } from "../../../fixtures/test-page.ts";
import { publishableKey, useService } from "../../../fixtures/test-service.ts";
import { OpenSurveys } from "./open-surveys.ts";
import { Client, type Loaders } from "../client/client.ts";
import type { ShowSurvey } from "../public/survey.ts";

const service = useService();

const drawn: ShowSurvey = ({ shown, closed }) => {
  shown();
  return { close: closed };
};

/** A client whose file comes when the test says so, and what it told in order. */
function startWith(asking: Loaders["asking"], showSurvey = drawn) {
  const tab = new TestPage();
  const story: string[] = [];
  const debug = () => import("../explain/index.ts");
  const client = new Client({ key: publishableKey, baseUrl: service.url }, tab.page, {
    asking,
    rating: () => import("../rating/rate.ts"),
    view: async () => ({ showSurvey }),
    debug,
  });
  client.on("shown", ({ slug }) => story.push(`shown ${slug}`));
  client.on("closed", ({ slug }) => story.push(`closed ${slug}`));
  client.on("notShown", ({ slug, reason }) => story.push(`${reason} ${slug}`));
  return { client, tab, story };
}

const failed = new TypeError("Failed to fetch dynamically imported module");

describe("a file of the widget that does not arrive", () => {
  it("is asked for again on the same occasion, once the network is back", async () => {
    let tries = 0;
    const { tab, story } = startWith(async () => {
      if (++tries === 1) throw failed;
      return { OpenSurveys };
    });
    await tab.settle();
    tab.fire("online");
    await tab.settle();
    expect(story).toEqual(["load-failed by-itself", "shown by-itself"]);
  });

  it("is told to every survey that waited for it, and fetched anew for the next", async () => {
    const first = Promise.withResolvers<{ OpenSurveys: typeof OpenSurveys }>();
    const files = [first.promise, Promise.resolve({ OpenSurveys })];
    const { client, tab, story } = startWith(() => files.shift()!);
    await tab.settle();
    client.ask("when-asked");
    await tab.settle();
    first.reject(failed);
    await tab.settle();
    client.ask("when-asked");
    await tab.settle();
    expect(story).toEqual(["load-failed by-itself", "load-failed when-asked", "shown when-asked"]);
  });

  it("is given up after 15 seconds if there is no answer at all", async () => {
    const { tab, story } = startWith(() => new Promise(() => undefined));
    await tab.advance(14_000);
    expect(story).toEqual([]);
    await tab.advance(2_000);
    expect(story).toEqual(["load-failed by-itself"]);
  });
});

it("a survey is told as shown once it is visible, not while the files that draw it are on their way", async () => {
  let appear!: () => void;
  const { tab, story } = startWith(
    async () => ({ OpenSurveys }),
    ({ shown, closed }) => {
      appear = shown;
      return { close: closed };
    },
  );
  await tab.settle();
  expect(story).toEqual([]);
  appear();
  expect(story).toEqual(["shown by-itself"]);
});

it("a view that ends while it is drawn is not told as shown", async () => {
  const { tab, story } = startWith(
    async () => ({ OpenSurveys }),
    ({ shown, closed }) => {
      closed();
      shown();
      return { close: () => undefined };
    },
  );
  await tab.settle();
  expect(story).toEqual(["closed by-itself"]);
});

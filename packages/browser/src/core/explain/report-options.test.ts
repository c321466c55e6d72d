// @vitest-environment node
import { expect, it } from "vitest";
import { start } from "../../../fixtures/start.ts";
import { useService } from "../../../fixtures/test-service.ts";

const service = useService();

it.each([
  [{ them: "dark" }, "unknown option them (data-them), did you mean theme (data-theme)?"],
  [
    { linkedonly: "" },
    "unknown option linkedonly (data-linkedonly), did you mean linkedOnly (data-linked-only)?",
  ],
  [{ lang: "de" }, "unknown option lang (data-lang), did you mean language (data-language)?"],
  [{ theme: "drak" }, 'theme (data-theme) takes auto, light, dark and not "drak", did you mean "dark"?'],
  [{ theme: "purple" }, 'theme (data-theme) takes auto, light, dark and not "purple"'],
  [
    { bannr: "top", density: "compakt" },
    "unknown option bannr (data-bannr), did you mean banner (data-banner)?; " +
      'density (data-density) takes comfortable, compact and not "compakt", did you mean "compact"?',
  ],
])("what is misspelt in %j gives one warning that names the closest", async (options, message) => {
  const { tab, events } = start(service.url, options as object);
  await tab.settle();
  expect(events.error).toMatchObject([{ code: "invalid_argument", message }]);
});

it.each<object>([
  { theme: "dark", density: "compact", banner: "bottom", direction: "rtl", askFollowUp: "always" },
  { consent: "granted", theme: undefined, language: "de", debug: false, texts: {} },
  { nscript: "afterInteractive", cfasync: "false", turboTrack: "reload", toString: "x" },
  { cookieconsent: "ignore", priority: "low", delay: "1" },
])("known options, and attributes of others, give none: %j", async (options) => {
  const { tab, events } = start(service.url, options as object);
  await tab.settle();
  expect(events.error).toEqual([]);
});

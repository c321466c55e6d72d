// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { publishableKey, useService } from "../../../fixtures/test-service.ts";
import { createHeadlessAfterword } from "../../headless.ts";

const service = useService();

const bootstrap = "/v1/sdk/bootstrap";
const optionsOf = (own: object = {}) => ({ key: publishableKey, baseUrl: service.url, ...own });

describe("a second client of a key", () => {
  it("is the first one, and the service is asked once", async () => {
    const { afterword, tab, events } = start(service.url);
    expect(createHeadlessAfterword(optionsOf(), tab.page)).toBe(afterword);
    await tab.settle();
    expect(tab.sent(bootstrap)).toHaveLength(1);
    expect(events.shown).toHaveLength(1);
    expect(tab.warnings).toEqual([]);
  });

  it.each([
    ["a slash at the end of the address", () => ({ baseUrl: `${service.url}/` })],
    ["a default that is written out", () => ({ theme: "auto", consent: "not-asked", debug: false })],
  ])("does not differ by %s", async (_, own) => {
    const { tab } = start(service.url);
    createHeadlessAfterword(optionsOf(own()), tab.page);
    await tab.settle();
    expect(tab.warnings).toEqual([]);
  });

  it("is warned that its own options do not count, without their values", async () => {
    const { tab } = start(service.url, { consent: "required" });
    createHeadlessAfterword(optionsOf({ conversationId: "very-private", texts: { send: "Go" } }), tab.page);
    await tab.settle();
    expect(tab.warnings).toEqual([expect.stringMatching(/: consent, conversationId, texts\.$/)]);
    expect(tab.sent(bootstrap)).toEqual([]);
  });
});

describe("after destroy()", () => {
  it("the next client starts anew, and the old one stays dead and does not end it", async () => {
    const { afterword, tab } = start(service.url);
    await tab.settle();
    afterword.destroy();
    const next = createHeadlessAfterword(optionsOf(), tab.page);
    expect(next).not.toBe(afterword);
    next.identify(newPerson());
    afterword.destroy();
    expect(createHeadlessAfterword(optionsOf(), tab.page)).toBe(next);
    afterword.ask("when-asked");
    await tab.settle();
    expect(next.getSurvey()?.survey.slug).toBe("by-itself");
    expect(afterword.getSurvey()).toBeUndefined();
    expect(tab.sent(bootstrap)).toHaveLength(2);
  });
});

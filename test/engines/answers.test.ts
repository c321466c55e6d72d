import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newPerson, useStage } from "../end-to-end/browser-stage.ts";
import { type Engine } from "./engine.ts";
import { firefoxPath, startFirefox } from "./firefox.ts";
import { startWebKit, webkitPath } from "./webkit.ts";

const engines = [
  ["Firefox", firefoxPath, startFirefox],
  ["WebKit", webkitPath, startWebKit],
] as const;

const responses = "/v1/sdk/responses";
const send = "[part~=send]";
const rating = (value: number) => `input[value="${value}"]`;
const part = (selector: string) =>
  `document.querySelector("afterword-view")?.shadowRoot.querySelector(${JSON.stringify(selector)})`;
const patience = { timeout: 10_000 };

// An engine that this machine lacks is skipped; widget.test.ts says so in a line.
describe.each(engines)("from the page to the service in %s", (_, path, start) => {
  describe.skipIf(!path)("installed", () => {
    const stage = useStage();
    let engine: Engine;
    beforeAll(async () => void (engine = await start()), 60_000);
    afterAll(() => engine?.stop());
    beforeEach(() => void (stage.proxy.fault = () => undefined));

    const see = (expression: string) =>
      expect.poll(() => engine.evaluate(`!!(${expression})`), patience).toBe(true);
    const say = (calls: string) => engine.evaluate(`(() => { ${calls}; return 0; })()`);
    async function click(selector: string) {
      await see(part(selector));
      await say(`${part(selector)}.click()`);
    }

    it("a task, its token, a rating by keyboard, and a score that waits with its session", async () => {
      const person = newPerson();
      await engine.open(stage.publish({ before: `afterword("identify", "${person}"); afterword("task");` }));
      const token = JSON.stringify(await stage.mint("manual", person, `run-of-${person}`));
      await see("afterword.isOpen");
      await say(`afterword("install", ${token}); afterword("resolve")`);
      await say(`afterword("ask", "when-asked", { openedByPerson: true })`);
      // Not `:focus`, which a window in the background does not match.
      await see(`document.querySelector("afterword-view")?.shadowRoot.activeElement?.type === "radio"`);
      const choose = async () => {
        await engine.press("4");
        return engine.evaluate(`!!${part(`${rating(4)}:checked`)}`);
      };
      await expect.poll(choose, patience).toBe(true);
      await see(part("textarea"));
      await say(`${part("textarea")}.focus()`);
      await engine.press(..."one step");
      await click(send);
      await expect
        .poll(() => stage.pendingScores(), patience)
        .toContainEqual(
          expect.objectContaining({ sessionId: `run-of-${person}`, rating: 4, text: "one step" }),
        );
    });

    it("focus and keys stay with the person who types in the page", async () => {
      await engine.open(stage.publish({ body: `<input id="message" />` }));
      await see("afterword.isOpen");
      await say(`document.querySelector("#message").focus()`);
      await engine.press("a", "b");
      await say(`afterword("ask", "when-asked")`);
      await see(part(rating(3)));
      await engine.press("c", "d");
      expect(await engine.evaluate("document.querySelector('#message').value")).toBe("abcd");
    });

    it("an answer outlives a reload while the service is away, and is sent once it is back", async () => {
      const person = newPerson();
      stage.proxy.fault = ({ path }) => (path === responses ? "lost" : undefined);
      const url = stage.publish({
        attributes: `data-consent="granted"`,
        before: `afterword("identify", "${person}"); afterword("ask", "when-asked");`,
      });
      await engine.open(url);
      await click(rating(2));
      await click(send);
      await see(`Object.keys(localStorage).some((name) => name.includes("outbox"))`);
      await expect.poll(() => stage.proxy.sent(responses).length, patience).toBeGreaterThan(0);
      stage.proxy.fault = () => undefined;
      await engine.open(url);
      await expect.poll(() => stage.stored(person), patience).toMatchObject([{ rating: 2 }]);
    });

    const thanks = `${part("[role=status]")}?.textContent.includes("Thank you")`;

    /**
     * A person chooses a rating, follows a link and goes back. The browser may have kept the page, or load it anew. The
     * page notes that it thanks, since thanks may be gone again before a slow machine looks.
     */
    async function goAndComeBack(person: string, attributes: string) {
      const before = `window.isSame = 0; window.reason = ""; window.hasThanked = false;
        setInterval(() => (hasThanked ||= !!(${thanks})), 50);
        afterword("on", "notShown", (detail) => (reason = detail.reason));
        afterword("identify", "${person}"); afterword("ask", "when-asked");`;
      await engine.open(stage.publish({ attributes, before }));
      await click(rating(2));
      await see(part(`${rating(2)}:checked`));
      await say("window.isSame = 1");
      await engine.open(stage.publish());
      await engine.back();
    }

    it("a rating that was kept when the person left gets thanks when they go back, or is sent by the page that loads anew", async () => {
      const person = newPerson();
      await goAndComeBack(person, `data-consent="granted"`);
      await see(`window.isSame ? hasThanked : reason === "suppressed"`);
      await expect.poll(() => stage.stored(person), patience).toMatchObject([{ rating: 2 }]);
    });

    it("a rating that was sent when the person left gets thanks when they go back, or is not asked for again", async () => {
      const person = newPerson();
      await goAndComeBack(person, "");
      await see(`window.isSame ? hasThanked : reason === "suppressed"`);
      expect(await stage.stored(person)).toMatchObject([{ rating: 2 }]);
    });

    it("the strictest policy is no obstacle", async () => {
      const policy =
        `default-src 'none'; script-src 'self'; connect-src ${stage.proxy.url}; base-uri 'none'; ` +
        "require-trusted-types-for 'script'; trusted-types 'none'";
      const person = newPerson();
      const before = `afterword("identify", "${person}"); afterword("ask", "when-asked");`;
      await engine.open(stage.publish({ policy, before }));
      await click(rating(5));
      await click(send);
      await expect.poll(() => stage.stored(person), patience).toMatchObject([{ rating: 5 }]);
    });

    it("nothing is sent where consent is required and not given", async () => {
      const seen = stage.proxy.seen.length;
      const before = `afterword("ask", "when-asked");`;
      await engine.open(stage.publish({ attributes: `data-consent="required"`, before }));
      await see("afterword.isOpen");
      expect(stage.proxy.seen).toHaveLength(seen);
      await say(`afterword("consent", true)`);
      await see(part(rating(3)));
      expect(stage.proxy.seen.length).toBeGreaterThan(seen);
    });
  });
});

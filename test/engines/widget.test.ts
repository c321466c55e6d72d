import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { serveGallery } from "../../packages/browser/gallery/serve.ts";
import { type Engine, keys } from "./engine.ts";
import { firefoxPath, startFirefox } from "./firefox.ts";
import { startWebKit, webkitPath } from "./webkit.ts";

const engines = [
  ["Firefox", firefoxPath, startFirefox],
  ["WebKit", webkitPath, startWebKit],
] as const;

for (const [name, path] of engines) if (!path) console.log(`SKIPPED: ${name} is not installed here`);

const root = `document.querySelector("afterword-view")?.shadowRoot`;
const checked = `${root}?.querySelector("[type=radio]:checked")?.value ?? null`;
const focused = `(${root}?.activeElement?.getAttribute("part") ?? ${root}?.activeElement?.value) ?? document.activeElement.id`;
const names = `window.reports.map(([name]) => name).join(" ")`;

describe.each(engines)("the widget's stories in %s", (_, path, start) => {
  describe.skipIf(!path)("installed", () => {
    let engine: Engine;
    let gallery: Awaited<ReturnType<typeof serveGallery>>;
    beforeAll(async () => {
      gallery = await serveGallery();
      engine = await start();
    }, 60_000);
    afterAll(async () => {
      await engine?.stop();
      gallery?.stop();
    });

    const see = (expression: string, expected: unknown) =>
      vi.waitFor(async () => expect(await engine.evaluate(expression)).toEqual(expected), {
        timeout: 10_000,
      });
    const open = async (state: string) => {
      await engine.open(`${gallery.url}/state?${state}`);
      await see(`!!${root}?.querySelector("section")`, true);
    };
    const focusPage = () => engine.evaluate(`document.querySelector("#host-input").focus() ?? null`);
    const click = (selector: string) =>
      engine.evaluate(`${root}.querySelector(${JSON.stringify(selector)}).click() ?? null`);

    it("the focus stays in the page, and the ratings are one tab stop", async () => {
      await engine.open(`${gallery.url}/state?later=1`);
      await see(`typeof window.show`, "function");
      await focusPage();
      await engine.evaluate(`void window.show("?type=nps&draft={%22rating%22:7}") ?? null`);
      await engine.press("a", "b");
      await see(`document.querySelector("#host-input").value`, "ab");
      await engine.press(keys.tab);
      await see(focused, "7");
      await engine.press(keys.tab);
      await see(focused, "text");
      expect(await engine.evaluate(checked)).toBe("7");
    });

    it("arrows choose without sending, and digits do: 1 and then 0 is 10", async () => {
      await open("type=nps");
      await focusPage();
      await engine.press(keys.tab, keys.right, keys.right, keys.left);
      await see(checked, "1");
      await engine.press("1", "0");
      await see(checked, "10");
      expect(await engine.evaluate(names)).not.toContain("submit");
    });

    it("arrows are mirrored from right to left", async () => {
      await open("type=csat&language=ar&draft={%22rating%22:3}");
      await focusPage();
      await engine.press(keys.tab, keys.left);
      await see(checked, "4");
      expect(await engine.evaluate(names)).not.toContain("submit");
    });

    it("escape inside closes, keeps the rating, and gives the focus back", async () => {
      await open("type=csat");
      await focusPage();
      await engine.press(keys.tab, "2", keys.escape);
      await see(`document.querySelector("afterword-view")`, null);
      expect(await engine.evaluate(names)).toBe("rated saveDraft dismiss closed");
      expect(await engine.evaluate(`document.activeElement.id`)).toBe("host-input");
    });

    it("escape outside closes nothing", async () => {
      await open("type=csat");
      await focusPage();
      await engine.press(keys.escape);
      expect(await engine.evaluate(`!!document.querySelector("afterword-view")`)).toBe(true);
    });

    it("it is above a modal dialog of the page, and can be used there", async () => {
      await open("type=csat");
      await engine.evaluate(`(() => {
        const dialog = document.createElement("dialog");
        document.body.append(dialog);
        dialog.showModal();
        return null;
      })()`);
      await see(`document.querySelector("afterword-view").parentNode.localName`, "dialog");
      const hit = `(() => {
        const { x, y } = ${root}.querySelector("[value='4']").getBoundingClientRect();
        return document.elementFromPoint(x + 5, y + 5)?.localName;
      })()`;
      await see(hit, "afterword-view");
      expect(await engine.evaluate(`document.querySelector("dialog").open`)).toBe(true);
    });

    it("from the question to thanks under a strict policy, with nothing refused", async () => {
      await open("type=ces&language=fr");
      await engine.evaluate(`(() => {
        window.refused = [];
        document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => window.refused.push(violatedDirective));
        return null;
      })()`);
      await click("[value='6']");
      await click("[part=send]");
      await see(`${root}?.querySelector("[role=status]").textContent`, "Merci pour votre avis.");
      expect(await engine.evaluate(names)).toBe("rated saveDraft submit");
      expect(await engine.evaluate(`window.refused`)).toEqual([]);
    });

    it("hostile style of the page does not reach it, and the theme does", async () => {
      await open("type=csat&theme=dark");
      await engine.evaluate(`(() => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync("* { visibility: hidden !important; font: 40px fantasy !important; transform: scale(0.1) !important }");
        document.adoptedStyleSheets.push(sheet);
        return null;
      })()`);
      const look = `(({ visibility, transform, fontSize, backgroundColor }) => [visibility, transform, fontSize, backgroundColor])(getComputedStyle(${root}.querySelector("section")))`;
      await see(look, ["visible", "none", "15px", "rgb(29, 32, 38)"]);
      expect(await engine.evaluate(names)).toBe("");
    });
  });
});

import { h, render as renderWithPreact, type VNode } from "preact";
import { describe, expect, it, vi } from "vitest";
import type { SurveyViewOptions } from "../core/survey-view.ts";
import { Card } from "./card.tsx";
import { jsx, render } from "./lean-preact.ts";
import type { Flow } from "./survey-flow.ts";
import { texts } from "./texts/en.ts";

const view = (type: "nps" | "csat" | "ces" | "pmf", rest: Partial<SurveyViewOptions> = {}) =>
  ({
    survey: { id: "s", slug: "s", type, question: "Well?", followUpQuestion: "Why?", showBadge: true },
    place: { presentation: "corner", corner: "top-left", banner: "top" },
    privacyLink: "https://example.org/privacy",
    ...rest,
  }) as SurveyViewOptions;

/** A survey's way through all stages, back and forth. */
const way: Flow[] = [
  { stage: "asking" },
  { stage: "asking", rating: 2 },
  { stage: "asking", rating: 2, text: "because", followUpRequested: true },
  { stage: "asking", rating: 2, text: "because", isWarned: true },
  { stage: "asking", rating: 5, text: "" },
  { stage: "sending", rating: 5 },
  { stage: "queued", rating: 5 },
  { stage: "stored", rating: 5 },
  { stage: "asking", rating: 1 },
  { stage: "refused", rating: 1 },
];

/** A tree of Preact, as the lean one would have made it. */
function lean(node: unknown): never {
  if (Array.isArray(node)) return node.map(lean) as never;
  if (node === null || typeof node !== "object") return node as never;
  const { type, props } = node as VNode<{ children?: unknown }>;
  if (typeof type === "function") return lean((type as (props: object) => unknown)(props));
  return jsx(type, { ...props, children: lean(props.children) }) as never;
}

/** All that can be seen of an element: its markup, and what is typed and ticked in it. */
const seen = (root: Element) => [
  root.innerHTML,
  [...root.querySelectorAll("input")].map(({ checked, value, type }) => [checked, value, type]),
  root.querySelector("textarea")?.value,
];

const draw = (flow: Flow, options: SurveyViewOptions) => (
  <Card
    view={options}
    survey={{ ...options.survey, suggestions: ["Wrong", "Too slow"] }}
    flow={flow}
    texts={texts}
    language="en"
    announcement=""
    act={() => undefined}
  />
);

describe("what the script tag draws with is like Preact", () => {
  it.each(["nps", "csat", "ces", "pmf"] as const)("%s looks the same at every step of the way", (type) => {
    const [one, other] = [document.createElement("div"), document.createElement("div")];
    for (const options of [view(type), view(type, { askFollowUp: "always", privacyLink: "javascript:x" })]) {
      for (const flow of way) {
        renderWithPreact(draw(flow, options), one);
        render(lean(draw(flow, options)), other);
        expect(seen(other)).toEqual(seen(one));
      }
    }
  });

  it("what stays the same stays the same node, with its focus", () => {
    const root = document.body.appendChild(document.createElement("div"));
    render(
      lean(
        <p>
          {false}
          <input id="one" />
        </p>,
      ),
      root,
    );
    const input = root.querySelector("input")!;
    input.focus();
    render(
      lean(
        <p>
          <b>new</b>
          <input id="one" class="x" />
        </p>,
      ),
      root,
    );
    expect(root.querySelector("input")).toBe(input);
    expect(document.activeElement).toBe(input);
    expect(root.innerHTML).toBe('<p><b>new</b><input id="one" class="x"></p>');
    root.remove();
  });

  it("only what differs is written", () => {
    const root = document.createElement("div");
    render(lean(<p title="same">same</p>), root);
    const changes = new MutationObserver(() => undefined);
    changes.observe(root, { attributes: true, childList: true, characterData: true, subtree: true });
    render(lean(<p title="same">same</p>), root);
    expect(changes.takeRecords()).toEqual([]);
  });

  it("the newest listener is called, once", () => {
    const root = document.createElement("div");
    const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()];
    render(lean(<button onClick={first} />), root);
    render(lean(<button onClick={second} />), root);
    root.querySelector("button")!.click();
    expect(first).not.toHaveBeenCalled();
    expect(second).toHaveBeenCalledOnce();
  });

  it("what the person typed over is put right, as a controlled field wants it", () => {
    const root = document.createElement("div");
    render(lean(<input type="checkbox" checked={false} />), root);
    root.querySelector("input")!.checked = true;
    render(lean(<input type="checkbox" checked={false} />), root);
    expect(root.querySelector("input")!.checked).toBe(false);
  });

  it("text is text and never markup", () => {
    const root = document.createElement("div");
    render(lean(<p>{"<img src=x onerror=alert(1)>"}</p>), root);
    expect(root.querySelector("img")).toBeNull();
    expect(root.textContent).toBe("<img src=x onerror=alert(1)>");
  });

  it.each([
    '{"type":"script","props":{"children":"alert(1)"}}',
    '{"type":"iframe","props":{"srcdoc":"<script>alert(1)</script>"},"constructor":null}',
    '[[{"type":"img","props":{"src":"x","onerror":"alert(1)"},"__proto__":null}]]',
  ])("data is never an element, however much it looks like one: %s", (json) => {
    const root = document.createElement("div");
    render(lean(<p />), root);
    render(jsx("p", { children: JSON.parse(json) as never }), root);
    expect(root.querySelectorAll("p *")).toHaveLength(0);
  });

  it("null leaves nothing to see", () => {
    const root = document.createElement("div");
    render(lean(h("p", null, "here")), root);
    render(null, root);
    expect(root.innerHTML).toBe("");
  });

  it("a drawing is made of vector elements", () => {
    const root = document.createElement("div");
    render(
      lean(
        <svg viewBox="0 0 1 1">
          <path d="M0 0" />
        </svg>,
      ),
      root,
    );
    expect(root.querySelector("path")!.namespaceURI).toBe("http://www.w3.org/2000/svg");
    render(
      lean(
        <div>
          <svg />
          <i />
        </div>,
      ),
      root,
    );
    expect(root.querySelector("i")!.namespaceURI).toBe("http://www.w3.org/1999/xhtml");
  });
});

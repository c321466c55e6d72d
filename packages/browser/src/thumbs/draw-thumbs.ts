import { textLength } from "@afterword/protocol/limits";
import type { Thumbs, Vote } from "./create-thumbs.ts";
import type { AllThumbsTexts } from "./load-thumbs-texts.ts";

const hand = "M7 11v10H3V11zl4-8q3 0 3 3l-1 4h5.5q2.6 0 2 2.6l-1.6 6.2Q18.3 21 16 21H7";

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<Omit<HTMLElementTagNameMap[Tag], "part"> & { part: string }>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function shape(tag: string, attribute: string, value: string): Element {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  element.setAttribute(attribute, value);
  return element;
}

function drawThumb(part: Vote) {
  const svg = shape("svg", "viewBox", "0 0 24 24");
  svg.append(shape("path", "d", hand));
  return make("button", { part }, svg);
}

/** Made once and copied for each control: a strict policy lets no template parse text. */
let blank: HTMLElement | undefined;

/** The line for a few words, with texts that the person can put into it. Returns how to update it. */
function drawLine(
  row: HTMLElement,
  down: HTMLElement,
  thumbs: Thumbs,
  { why, reasons, send }: AllThumbsTexts,
) {
  // Past its focus the line keeps the vote waiting only if there is text.
  const write = () => thumbs.write(input.value, input.matches(":focus") || undefined);
  const input: HTMLInputElement = make("input", {
    part: "text",
    dir: "auto",
    ariaLabel: why,
    placeholder: why,
    maxLength: textLength,
    onfocus: write,
    onblur: write,
    oninput: write,
    onkeydown({ key, isComposing, keyCode }: KeyboardEvent) {
      // Keys of an input method; Safari knows them by this number alone.
      if (key === "Enter" && !isComposing && keyCode !== 229) thumbs.send();
    },
  });
  const add = (reason: string) => {
    thumbs.write(input.value ? `${input.value}, ${reason}` : reason);
    input.focus();
  };
  const line = make(
    "div",
    {},
    ...reasons
      .slice(0, 4)
      .map((reason) => make("button", { part: "reason", onclick: () => add(reason) }, reason)),
    input,
    make("button", { part: "send", onclick: () => thumbs.send() }, send),
  );
  // Keys pressed in the line are no shortcuts of the page.
  for (const type of ["keydown", "keypress", "keyup"])
    line.addEventListener(type, (event) => event.stopPropagation());
  row.append(line);
  return (isAsking: boolean, text: string) => {
    if (input.value !== text) input.value = text;
    // Else the focus would fall to the body.
    if (!isAsking && line.matches(":focus-within")) down.focus();
    line.hidden = !isAsking;
  };
}

/** Draws the thumbs into an empty root, and changes them with their state. The line is drawn at the first bad answer. */
export function drawThumbs(
  root: ShadowRoot,
  thumbs: Thumbs,
  words: AllThumbsTexts,
  lang: string,
  dir: string,
): void {
  blank ??= make(
    "div",
    {},
    drawThumb("up"),
    drawThumb("down"),
    make("span", { part: "status", role: "status" }),
  );
  const row = Object.assign(blank.cloneNode(true) as HTMLElement, { lang, dir });
  const [up, down, status] = row.children as Iterable<HTMLElement> as [HTMLElement, HTMLElement, HTMLElement];
  let updateLine: ReturnType<typeof drawLine> | undefined;
  const update = () => {
    const { vote, stage, text, isFixed } = thumbs.getState();
    for (const button of [up, down]) {
      const own: Vote = button === up ? "up" : "down";
      Object.assign(button, {
        title: words[own],
        onclick: () => thumbs.press(own),
        ariaPressed: own === vote,
        ariaDisabled: isFixed,
      });
    }
    const isAsking = vote === "down" && !isFixed;
    if (isAsking) updateLine ??= drawLine(row, down, thumbs, words);
    updateLine?.(isAsking, text);
    status.textContent = words[stage as "stored"] ?? "";
  };
  root.append(row);
  thumbs.subscribe(update);
  update();
}

import type { Thumbs, Vote } from "./create-thumbs.ts";
import type { AllThumbsTexts } from "./load-thumbs-texts.ts";

const vectors = "http://www.w3.org/2000/svg";
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

function thumb(part: Vote, title: string, thumbs: Thumbs) {
  const svg = document.createElementNS(vectors, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  const path = document.createElementNS(vectors, "path");
  path.setAttribute("d", hand);
  svg.append(path);
  return make("button", { part, title, onclick: () => thumbs.press(part) }, svg);
}

/** The line for a few words. */
function line(thumbs: Thumbs, { why }: AllThumbsTexts) {
  // Past its focus the line keeps the vote waiting only if there is text.
  const write = () => thumbs.write(input.value, input.matches(":focus") || undefined);
  const input: HTMLInputElement = make("input", {
    part: "text",
    dir: "auto",
    ariaLabel: why,
    placeholder: why,
    maxLength: 10_000,
    onfocus: write,
    onblur: write,
    oninput: write,
    onkeydown({ key, isComposing, keyCode }: KeyboardEvent) {
      // Keys of an input method; Safari knows them by this number alone.
      if (key === "Enter" && !isComposing && keyCode !== 229) thumbs.send();
    },
  });
  return input;
}

/** A text that the person can put into the line. */
function reasonFor(reason: string, input: HTMLInputElement, thumbs: Thumbs) {
  const onclick = () => {
    thumbs.write(input.value ? `${input.value}, ${reason}` : reason);
    input.focus();
  };
  return make("button", { part: "reason", onclick }, reason);
}

/** Draws the thumbs, and draws them anew at each change. */
export function drawThumbs(
  root: ShadowRoot,
  thumbs: Thumbs,
  words: AllThumbsTexts,
  lang: string,
  dir: string,
): void {
  const buttons = { up: thumb("up", words.up, thumbs), down: thumb("down", words.down, thumbs) };
  const status = make("span", { part: "status", role: "status" });
  const input = line(thumbs, words);
  const why = make(
    "div",
    {},
    ...words.reasons.slice(0, 4).map((reason) => reasonFor(reason, input, thumbs)),
    input,
    make("button", { part: "send", onclick: () => thumbs.send() }, words.send),
  );
  const update = () => {
    const { vote, stage, text, isFixed } = thumbs.getState();
    for (const button of [buttons.up, buttons.down]) {
      button.ariaPressed = `${button === buttons[vote!]}`;
      button.ariaDisabled = `${isFixed}`;
    }
    const hadFocus = why.contains(root.activeElement);
    why.hidden = vote !== "down" || stage !== "held";
    if (input.value !== text) input.value = text;
    // Else it would fall to the body.
    if (hadFocus && why.hidden) buttons.down.focus();
    status.textContent = words[stage as "stored"] ?? "";
  };
  root.replaceChildren(
    make("section", { lang, dir }, make("div", {}, buttons.up, buttons.down, status), why),
  );
  thumbs.subscribe(update);
  update();
}

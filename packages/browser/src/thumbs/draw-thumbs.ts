import { textLength } from "@afterword/protocol/limits";
import type { Thumbs, Vote } from "./create-thumbs.ts";
import type { AllThumbsTexts } from "./load-thumbs-texts.ts";

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<Omit<HTMLElementTagNameMap[Tag], "part"> & { part: string }>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Draws the text field with its suggested reasons. Returns a function that updates it. */
function drawLine(
  row: HTMLElement,
  down: HTMLElement,
  thumbs: Thumbs,
  { why, reasons, send }: AllThumbsTexts,
) {
  // Once blurred, the field keeps the vote waiting only if it has text.
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
    onkeydown({ keyCode }: KeyboardEvent) {
      // The Enter that ends an input method's composition has another key code, its only mark in Safari.
      if (keyCode === 13) thumbs.send();
    },
  });
  const add = (reason: string) => {
    thumbs.write(input.value ? `${input.value}, ${reason}` : reason);
    input.focus();
  };
  // Keys pressed here must not trigger the page's shortcuts.
  const stop = (event: Event) => event.stopPropagation();
  const line = make(
    "div",
    { onkeydown: stop, onkeypress: stop, onkeyup: stop },
    ...reasons
      .slice(0, 4)
      .map((reason) => make("button", { part: "reason", onclick: () => add(reason) }, reason)),
    input,
    make("button", { part: "send", onclick: () => thumbs.send() }, send),
  );
  row.append(line);
  return (isAsking: boolean, text: string) => {
    if (input.value !== text) input.value = text;
    // Otherwise the focus would fall to the body.
    if (!isAsking && line.matches(":focus-within")) down.focus();
    line.hidden = !isAsking;
  };
}

/** In the order of their buttons. */
const votes: Vote[] = ["up", "down"];

/** Draws the parts that change with a vote; none exists before the first one. */
function drawChanges(row: HTMLElement, thumbs: Thumbs, words: AllThumbsTexts): Thumbs {
  const buttons = [...row.children] as HTMLElement[];
  const status = make("span", { part: "status", role: "status" });
  let updateLine: ReturnType<typeof drawLine> | undefined;
  const update = () => {
    const { vote, stage, text, isFixed, reasons } = thumbs.getState();
    buttons.forEach((button, index) =>
      Object.assign(button, { ariaPressed: votes[index] === vote, ariaDisabled: isFixed }),
    );
    const isAsking = vote === "down" && !isFixed;
    if (isAsking && reasons)
      updateLine ??= drawLine(row, buttons[1]!, thumbs, reasons[0] ? { ...words, reasons } : words);
    updateLine?.(isAsking, text);
    status.textContent = words[stage as "stored"] ?? "";
  };
  row.append(status);
  thumbs.subscribe(update);
  update();
  return thumbs;
}

/** Returns a function that draws thumbs in these texts. They start at the first press, or with an earlier vote. */
export function createDraw(words: AllThumbsTexts, lang: string, dir: string) {
  // Cloned for each control: a strict policy forbids parsing HTML from text.
  const blank = make(
    "div",
    { lang, dir },
    ...votes.map((part) => make("button", { part, title: words[part], ariaPressed: "false" })),
  );
  return (start: () => Thumbs, isVoted: boolean): HTMLElement => {
    const row = blank.cloneNode(true) as HTMLElement;
    let thumbs: Thumbs | undefined;
    const startOnce = () => (thumbs ??= drawChanges(row, start(), words));
    row.addEventListener("click", ({ target }) => {
      const vote = votes[[...row.children].indexOf(target as Element)];
      if (vote) startOnce().press(vote);
    });
    if (isVoted) startOnce();
    return row;
  };
}

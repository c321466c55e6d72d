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
    onkeydown({ keyCode }: KeyboardEvent) {
      // The key that ends an input method's composition is another Enter, in Safari by its number alone.
      if (keyCode === 13) thumbs.send();
    },
  });
  const add = (reason: string) => {
    thumbs.write(input.value ? `${input.value}, ${reason}` : reason);
    input.focus();
  };
  // Keys pressed in the line are no shortcuts of the page.
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
    // Else the focus would fall to the body.
    if (!isAsking && line.matches(":focus-within")) down.focus();
    line.hidden = !isAsking;
  };
}

/** In the order of their buttons. */
const votes: Vote[] = ["up", "down"];

/** Draws what changes with a vote: nothing of it is there before the first one. */
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

/** Returns what draws thumbs in these words. They start at the first press, or with an earlier vote. */
export function createDraw(words: AllThumbsTexts, lang: string, dir: string) {
  // Copied for each control: a strict policy lets no template parse text.
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

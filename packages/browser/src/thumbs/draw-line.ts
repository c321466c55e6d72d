import { textLength } from "@afterword/protocol/limits";
import type { Thumbs } from "./create-thumbs.ts";
import type { AllThumbsTexts } from "./load-thumbs-texts.ts";
import { createElement } from "../ui/create-element.ts";
import { play } from "../ui/play.ts";

// By their codes: keys that end an input method's composition have another one, which is their only mark in Safari.
const [enter, escape] = [13, 27];

/** A button that chooses a reason or takes it back. */
const drawReason = (reason: string, thumbs: Thumbs) =>
  createElement(
    "button",
    {
      part: "reason",
      onclick({ detail }: MouseEvent) {
        if (detail < 2) thumbs.choose(reason);
      },
    },
    reason,
  );

/** Calls back when the pointer or the focus enters or leaves the line. A finger leaves `:hover` set after it is lifted. */
function watch(line: HTMLElement, changed: (isBusy: boolean) => void) {
  let [isHovered, isFocused] = [false, false];
  const notify = () => changed(isHovered || isFocused);
  Object.assign(line, {
    onpointerenter: ({ pointerType }: PointerEvent) => ((isHovered = pointerType !== "touch"), notify()),
    onpointerleave: () => ((isHovered = false), notify()),
  });
  line.addEventListener("focusin", () => ((isFocused = true), notify()));
  line.addEventListener("focusout", (event) => {
    isFocused = line.contains(event.relatedTarget as Node | null);
    notify();
  });
}

/** Draws the suggested reasons and the text field. Returns a function that updates them. */
export function drawLine(control: HTMLElement, down: HTMLElement, thumbs: Thumbs, words: AllThumbsTexts) {
  const reasons = words.reasons.slice(0, 4);
  let isBusy = false;
  // Once neither is there, the text alone keeps the vote waiting.
  const write = () => thumbs.write(input.value, isBusy || undefined);
  const input: HTMLInputElement = createElement("input", {
    "part": "text",
    "dir": "auto",
    "aria-label": words.details,
    "placeholder": words.details,
    // All reasons may go before it.
    "maxlength": textLength - reasons.join(", ,").length,
    "oninput": write,
    "onkeydown"({ keyCode }: KeyboardEvent) {
      if (keyCode === enter) thumbs.send();
    },
  });
  const buttons = reasons.map((reason) => drawReason(reason, thumbs));
  // Keys pressed here must not trigger the page's shortcuts.
  const stop = (event: Event) => event.stopPropagation();
  const line = createElement(
    "div",
    { "role": "group", "aria-label": words.why, "onkeydown": stop, "onkeypress": stop, "onkeyup": stop },
    createElement("span", {}, ...buttons),
    createElement(
      "span",
      {},
      input,
      createElement("button", { part: "send", onclick: () => thumbs.send() }, words.send),
    ),
  );
  line.hidden = line.inert = true;
  watch(line, (isBusyNow) => {
    isBusy = isBusyNow;
    write();
  });
  for (const element of [line, down]) {
    element.addEventListener("keydown", (event) => {
      if (event.keyCode !== escape || line.inert) return;
      event.stopPropagation();
      thumbs.leave();
    });
  }
  control.append(line);
  return (isAsking: boolean) => {
    const { text, chosen } = thumbs.getState();
    if (input.value !== text) input.value = text;
    buttons.forEach((button, index) => (button.ariaPressed = `${chosen.includes(reasons[index]!)}`));
    // Otherwise the focus would fall to the body.
    if (!isAsking && line.matches(":focus-within")) down.focus();
    unfold(line, isAsking);
  };
}

/** Opens or closes the line. Closed, it is inert, and hidden once it has closed. */
function unfold(line: HTMLElement, isOpen: boolean) {
  if (line.inert !== isOpen) return;
  line.inert = !isOpen;
  line.hidden = false;
  const [none, whole] = [
    { height: 0, marginBlockStart: 0, opacity: 0 },
    { height: `${line.offsetHeight}px` },
  ];
  const end = () => {
    line.hidden = line.inert;
    // The rest of the page stays as it is, as far as the window has room for both.
    if (isOpen) line.scrollIntoView?.({ block: "nearest" });
  };
  const played = isOpen ? play(line, none, whole) : play(line, whole, none);
  if (played) void played.then(end);
  else end();
}

import { textLength } from "@afterword/protocol/limits";
import type { Thumbs } from "./create-thumbs.ts";
import type { AllThumbsTexts } from "./load-thumbs-texts.ts";
import { createElement } from "../ui/create-element.ts";

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
    "aria-label": words.why,
    "placeholder": words.why,
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
    ...buttons,
    input,
    createElement("button", { part: "send", onclick: () => thumbs.send() }, words.send),
  );
  watch(line, (isBusyNow) => {
    isBusy = isBusyNow;
    write();
  });
  for (const element of [line, down]) {
    element.addEventListener("keydown", (event) => {
      if (event.keyCode !== escape || line.hidden) return;
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
    line.hidden = !isAsking;
  };
}

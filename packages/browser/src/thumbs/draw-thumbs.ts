import type { Thumbs, Vote } from "./create-thumbs.ts";
import { drawLine } from "./draw-line.ts";
import type { AllThumbsTexts } from "./load-thumbs-texts.ts";
import { createElement } from "../ui/create-element.ts";
import { createIcon } from "../ui/create-icon.ts";

/** In the order of their buttons. */
const votes: Vote[] = ["up", "down"];

/** Draws the button that takes a held vote back, with a ring that runs out when it is sent. */
function drawUndo(thumbs: Thumbs, words: AllThumbsTexts) {
  const button = createElement(
    "button",
    { part: "undo", onclick: () => thumbs.press(thumbs.getState().vote!) },
    words.undo,
  );
  let until: number | undefined;
  const update = () => {
    const { stage, heldUntil } = thumbs.getState();
    button.hidden = stage !== "held";
    if (heldUntil === until) return;
    until = heldUntil;
    // A new one, since that starts its animation anew.
    const ring = createIcon("M12 2a10 10 0 1 1-.01 0");
    ring.style.setProperty("--held", until === Infinity ? "" : `${until! - Date.now()}ms`);
    button.querySelector("svg")?.remove();
    button.prepend(ring);
  };
  return { button, update };
}

/** Draws the parts that change with a vote; none exists before the first one. */
function drawChanges(control: HTMLElement, thumbs: Thumbs, words: AllThumbsTexts): Thumbs {
  const row = control.firstElementChild!;
  const buttons = [...row.children] as HTMLElement[];
  const down = buttons[1]!;
  const status = createElement("span", { part: "status", role: "status" });
  const undo = drawUndo(thumbs, words);
  let updateLine: ReturnType<typeof drawLine> | undefined;
  const update = () => {
    const { vote, stage, isFixed, reasons } = thumbs.getState();
    // Otherwise the focus would fall to the body.
    if (stage !== "held" && undo.button.matches(":focus"))
      buttons.find(({ ariaPressed }) => ariaPressed === "true")?.focus();
    undo.update();
    buttons.forEach((button, index) =>
      Object.assign(button, { ariaPressed: votes[index] === vote, ariaDisabled: isFixed }),
    );
    const isAsking = vote === "down" && !isFixed;
    if (isAsking && reasons)
      updateLine ??= drawLine(control, down, thumbs, reasons[0] ? { ...words, reasons } : words);
    updateLine?.(isAsking);
    down.ariaExpanded = `${isAsking && !!updateLine}`;
    status.textContent = words[stage as "stored"] ?? "";
  };
  row.append(undo.button, status);
  thumbs.subscribe(update);
  update();
  return thumbs;
}

/** Returns a function that draws thumbs in these texts. They start at the first press, or with an earlier vote. */
export function createDraw(words: AllThumbsTexts, lang: string, dir: string) {
  const buttons = votes.map((part) =>
    createElement("button", { part, "title": words[part], "aria-pressed": false }),
  );
  buttons[1]!.ariaExpanded = "false";
  // Cloned for each control: a strict policy forbids parsing HTML from text.
  const blank = createElement("span", { lang, dir }, createElement("div", {}, ...buttons));
  return (start: () => Thumbs, isVoted: boolean): HTMLElement => {
    const control = blank.cloneNode(true) as HTMLElement;
    let thumbs: Thumbs | undefined;
    const startOnce = () => (thumbs ??= drawChanges(control, start(), words));
    control.addEventListener("click", ({ target, detail }) => {
      const vote = votes[[...control.firstElementChild!.children].indexOf(target as Element)];
      // The second click of a double click would withdraw the vote.
      if (vote && detail < 2) startOnce().press(vote);
    });
    if (isVoted) startOnce();
    return control;
  };
}

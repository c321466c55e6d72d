import { listen } from "./listen.ts";
import type { FlowEvent } from "./survey-flow.ts";
import type { Page } from "./keep-on-top.ts";

const types = [
  "pointerdown",
  "mousedown",
  "touchstart",
  "click",
  "keydown",
  "keypress",
  "keyup",
  "focusin",
  "paste",
] as const;

/**
 * Handles presses inside the widget before the page, and hides them from it, until the signal aborts: a focus trap
 * listens at the document, cancels clicks outside itself and takes the focus back.
 */
export function listenInside(
  root: ShadowRoot,
  page: Page,
  act: (event: FlowEvent) => void,
  signal: AbortSignal,
): void {
  const stop = (event: Event) => event.stopImmediatePropagation();
  const onKey = (event: KeyboardEvent) => {
    const { key, keyCode, ctrlKey, metaKey, isComposing } = event;
    // If the key closes the widget, its keyup reaches the page.
    page.addEventListener("keyup", stop, { capture: true, once: true });
    // Keys of an input method. Safari sends them after the composition ends; only this key code identifies them.
    if (isComposing || keyCode === 229) return;
    if (key === "Escape") {
      // Otherwise a modal dialog of the page around the widget would close too.
      event.preventDefault();
      act("close");
    } else if ((ctrlKey || metaKey) && key === "Enter") act("send");
  };
  const onEvent = (event: Event) => {
    const path = event.composedPath();
    if (!path.includes(root)) return;
    // One of those below: it goes on to the button.
    if (event.type === "click" && !event.composed) return event.preventDefault();
    event.stopPropagation();
    const button = (path[0] as Element).closest("button");
    if (event.type === "keydown") onKey(event as KeyboardEvent);
    else if (event.type === "click" && button) {
      // A frame sandboxed without `allow-forms` gets no submit event; Enter clicks the button in every browser.
      event.preventDefault();
      // Not composed, so that it stays in the shadow root: the page sees neither.
      button.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
  };
  listen(page, types, onEvent, signal);
  // A closed shadow root of the page hides this root from the path at the window.
  listen(root, types, onEvent, signal);
}

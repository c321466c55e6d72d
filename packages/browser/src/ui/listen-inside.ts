import { listen } from "./listen.ts";
import type { FlowEvent } from "./survey-flow.ts";
import type { Page } from "./top-layer.ts";

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
 * Hears what the person presses inside, before the page does and in its place: a focus trap listens at the document,
 * cancels clicks outside itself and takes the focus back. Until the signal.
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
    // The key may close the widget and then comes up in the page.
    page.addEventListener("keyup", stop, { capture: true, once: true });
    // Keys of an input method. To Safari its composition is over when they come; there they are known by this number.
    if (isComposing || keyCode === 229) return;
    if (key === "Escape") {
      // Else a modal dialog of the page around the widget would close too.
      event.preventDefault();
      act("close");
    } else if ((ctrlKey || metaKey) && key === "Enter") act("send");
  };
  const hear = (event: Event) => {
    const path = event.composedPath();
    if (!path.includes(root)) return;
    event.stopPropagation();
    const button = (path[0] as Element).closest("button");
    if (event.type === "keydown") onKey(event as KeyboardEvent);
    else if (event.type === "click" && button) {
      // A frame sandboxed without `allow-forms` gets no submit event; Enter presses the button in every browser.
      event.preventDefault();
      const { value: text } = button;
      act(text ? { text } : (button.getAttribute("part") as FlowEvent));
    }
  };
  listen(page, types, hear, signal);
  // Out of a closed shadow root of the page, the path does not tell that it began here.
  listen(root, types, hear, signal);
}

import type { OwnEvents } from "../core/page/index.ts";
import { repeatInside } from "./hide-from-page.ts";
import { listen } from "./listen.ts";
import type { FlowEvent } from "./survey-flow.ts";

/** A closed shadow root of the page hides this root from the window, which then sees presses on its own element. */
const types = "pointerdown mousedown touchstart click keydown keypress keyup focusin paste".split(" ");

/** Handles presses inside the widget, and hides from the page those that its window's listeners let pass. */
export function listenInside(
  root: ShadowRoot,
  own: Partial<OwnEvents>,
  act: (event: FlowEvent) => void,
  signal: AbortSignal,
): void {
  const onKey = (event: KeyboardEvent) => {
    const { key, keyCode, ctrlKey, metaKey, isComposing } = event;
    // If the key closes the widget, its keyup is hidden too.
    own.isTyped = true;
    // Keys of an input method. Safari sends them after the composition ends; only this key code identifies them.
    if (isComposing || keyCode === 229) return;
    if (key === "Escape") {
      // Otherwise a modal dialog of the page around the widget would close too.
      event.preventDefault();
      act("close");
    } else if ((ctrlKey || metaKey) && key === "Enter") act("send");
  };
  const onEvent = (event: Event) => {
    // A copy of one that was hidden, or of one below: it goes on to the button.
    if (event.type === "click" && !event.composed) return;
    event.stopPropagation();
    const button = (event.composedPath()[0] as Element).closest("button");
    if (event.type === "keydown") onKey(event as KeyboardEvent);
    else if (event.type === "click" && button) repeatInside(event, button);
  };
  listen(root, types, onEvent, signal);
}

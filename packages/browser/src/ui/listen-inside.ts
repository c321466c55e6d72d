import { digitReader } from "./digit-reader.ts";
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
  const readDigit = digitReader();
  const stop = (event: Event) => event.stopImmediatePropagation();
  const onKey = (event: KeyboardEvent, target: HTMLInputElement) => {
    const { key, keyCode, ctrlKey, metaKey, altKey, isComposing, timeStamp } = event;
    // The key may close the widget and then comes up in the page.
    page.addEventListener("keyup", stop, { capture: true, once: true });
    // Keys of an input method. To Safari its composition is over when they come; there they are known by this number.
    if (isComposing || keyCode === 229) return;
    if (key === "Escape") {
      // Else a modal dialog of the page around the widget would close too.
      event.preventDefault();
      act("close");
    } else if (ctrlKey || metaKey) {
      if (key === "Enter") act("send");
    } else if (!altKey && target.type === "radio") {
      const radio = radioFor(root, key, target, readDigit(key, timeStamp));
      if (!radio) return;
      event.preventDefault();
      // The click chooses as the person's own would; moving the focus lets the arrows go on from there.
      radio.focus();
      radio.click();
    }
  };
  const hear = (event: Event) => {
    const path = event.composedPath();
    if (!path.includes(root)) return;
    event.stopPropagation();
    const target = path[0] as HTMLInputElement;
    const button = target.closest("button");
    if (event.type === "keydown") onKey(event as KeyboardEvent, target);
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

/** Where an arrow or a digit leads. Not left to the browser: not all of them mirror the arrows from right to left. */
function radioFor(root: ShadowRoot, key: string, current: HTMLInputElement, digit: number | undefined) {
  const radios = [...root.querySelectorAll<HTMLInputElement>("[type=radio]")];
  const forward = current.closest("[dir=rtl]") ? /Down|Left/ : /Down|Right/;
  if (!key.startsWith("Arrow")) return radios.find(({ value }) => value === `${digit}`);
  return radios.at((radios.indexOf(current) + (forward.test(key) ? 1 : -1)) % radios.length);
}

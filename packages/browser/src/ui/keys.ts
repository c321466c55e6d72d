import { digitReader } from "./digit-reader.ts";
import type { FlowEvent } from "./survey-flow.ts";
import type { Page } from "./top-layer.ts";

/** Hears the keys pressed inside. They are none of the page's business, and Escape closes only from inside. */
export function listenToKeys(root: ShadowRoot, page: Page, act: (event: FlowEvent) => void): void {
  const readDigit = digitReader();
  const stop = (event: Event) => event.stopImmediatePropagation();
  root.addEventListener("keydown", (event) => {
    const { key, keyCode, ctrlKey, metaKey, altKey, isComposing, timeStamp, target } = event as KeyboardEvent;
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
    } else if (!altKey && (target as HTMLInputElement).type === "radio") {
      const radio = radioFor(root, event as KeyboardEvent, readDigit(key, timeStamp));
      if (!radio) return;
      event.preventDefault();
      // The click chooses as the person's own would; moving the focus lets the arrows go on from there.
      radio.focus();
      radio.click();
    }
  });
  // A focus trap of the page would pull the focus out again, a handler of the page would take the pasted text.
  for (const type of ["keydown", "keypress", "keyup", "focusin", "paste"]) root.addEventListener(type, stop);
}

/** Where an arrow or a digit leads. Not left to the browser: not all of them mirror the arrows from right to left. */
function radioFor(root: ShadowRoot, { key, target }: KeyboardEvent, digit: number | undefined) {
  const radios = [...root.querySelectorAll<HTMLInputElement>("[type=radio]")];
  const current = target as HTMLInputElement;
  const forward = current.closest("[dir=rtl]") ? /Down|Left/ : /Down|Right/;
  if (!key.startsWith("Arrow")) return radios.find(({ value }) => value === `${digit}`);
  return radios.at((radios.indexOf(current) + (forward.test(key) ? 1 : -1)) % radios.length);
}

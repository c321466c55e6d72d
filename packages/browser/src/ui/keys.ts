import { digitReader } from "./digit-reader.ts";
import type { FlowEvent } from "./survey-flow.ts";
import type { Page } from "./top-layer.ts";

/** Hears the keys pressed inside. They are none of the page's business, and Escape closes only from inside. */
export function listenToKeys(root: ShadowRoot, page: Page, act: (event: FlowEvent) => void): void {
  const readDigit = digitReader();
  const stop = (event: Event) => event.stopImmediatePropagation();
  root.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, isComposing, timeStamp, target } = event as KeyboardEvent;
    // The key may close the widget and then comes up in the page.
    page.addEventListener("keyup", stop, { capture: true, once: true });
    if (isComposing) return;
    if (key === "Escape") {
      // Else a modal dialog of the page around the widget would close too.
      event.preventDefault();
      act("close");
    } else if (ctrlKey || metaKey) {
      if (key === "Enter") act("send");
    } else if (!altKey && (target as HTMLInputElement).type === "radio") {
      // The click chooses as the person's own would; moving the focus lets the arrows go on from there.
      const radio = root.querySelector<HTMLElement>(`[value="${readDigit(key, timeStamp)}"]`);
      radio?.focus();
      radio?.click();
    }
  });
  // A focus trap of the page would pull the focus out again, a handler of the page would take the pasted text.
  for (const type of ["keydown", "keypress", "keyup", "focusin", "paste"]) root.addEventListener(type, stop);
}

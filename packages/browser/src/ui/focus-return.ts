import { listen } from "./listen.ts";

/**
 * Remembers what in the page had the focus last. The answer gives the focus back there, or to the nearest element
 * around it that is still in the page, so that it never falls to the body. Remembers until the signal.
 */
export function rememberFocus(host: HTMLElement, document: Document, signal: AbortSignal): () => void {
  let path: EventTarget[] = [];
  const onFocusOut = (event: Event) => {
    const left = event.composedPath();
    if (!left.includes(host)) path = left;
  };
  listen(document, ["focusout"], onFocusOut, signal);
  return () => void path.some((target) => giveFocus(target as HTMLElement));
}

function giveFocus(element: HTMLElement): boolean {
  if (!element.isConnected || !element.matches) return false;
  const hasTaken = () => {
    element.focus({ preventScroll: true });
    return element.matches(":focus");
  };
  if (hasTaken()) return true;
  if (element.hasAttribute("tabindex")) return false;
  element.tabIndex = -1;
  element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  return hasTaken();
}

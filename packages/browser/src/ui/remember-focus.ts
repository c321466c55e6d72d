import { listen } from "./listen.ts";

/**
 * Tracks the page's last focused element until the signal aborts. Returns a function that restores the focus to it, or
 * to its nearest ancestor still in the page, so that the focus never falls to the body.
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

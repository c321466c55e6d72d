/**
 * Gives the focus to the element of this path, from the window inwards, that had it last, or to its nearest ancestor
 * still in the page, so that the focus never falls to the body.
 */
export const returnFocus = (path: EventTarget[] = []): void =>
  void path.some((target) => giveFocus(target as HTMLElement));

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

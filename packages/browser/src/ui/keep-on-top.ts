import { listen, pageOf } from "./page.ts";

/** How often a view rises above the page's popovers: one that does the same would otherwise fight it forever. */
const mostRaises = 20;

/** How often per second a view returns to a page that removes it, which could loop forever in one task. */
const mostReturns = 5;

/** How often a waiting view checks whether it is usable again. */
const checkAgainInMs = 500;

/** After these something may cover the view: a popover, a modal dialog that took the focus, a video. */
const coveringEvents = ["toggle", "focusin", "fullscreenchange"];

/**
 * Keeps a view in the top layer, above the rest of the page, until the signal aborts or the page wins. Hides it while
 * it would be visible but unusable, such as behind a modal dialog in a shadow root. Calls `onShown` once it is visible, and
 * `onGone` if the page keeps removing it.
 */
export function keepOnTop(host: HTMLElement, onShown: () => void, onGone: () => void, signal: AbortSignal) {
  const page = pageOf(host);
  const { document } = page;
  const root = host.shadowRoot!;
  // happy-dom and jsdom have neither popovers nor a top layer.
  if (!host.showPopover) {
    document.documentElement.append(host);
    return onShown();
  }
  let notifyShown: (() => void) | undefined = onShown;
  let [raises, returns, timer] = [0, 0, 0];
  // A modal dialog or a full-screen element makes everything outside it inert.
  const parent = () =>
    [...document.querySelectorAll("dialog:modal,:fullscreen")].at(-1) ?? document.documentElement;
  const raise = () => {
    const focused = root.activeElement as HTMLElement | null;
    if (host.parentNode === parent()) host.hidePopover();
    else parent().append(host);
    host.inert = false;
    host.ariaHidden = null;
    host.showPopover();
    focused?.focus({ preventScroll: true });
  };
  const check = () => {
    if (signal.aborted) return;
    host.hidden = false;
    if (host.parentNode !== parent()) raise();
    const { x, y } = root.querySelector("[part=close]")!.getBoundingClientRect();
    // What a click there would hit.
    host.hidden = (document.elementFromPoint(x + 9, y + 9) ?? host) !== host;
    if (host.hidden) checkIn(checkAgainInMs);
    else notifyShown = notifyShown?.() as undefined;
  };
  const checkIn = (delayInMs?: number) => {
    page.clearTimeout(timer);
    timer = page.setTimeout(check, delayInMs);
  };
  // The body was replaced, a dialog opened, closed or went away with the widget in it, or made all but itself inert.
  const observer = new page.MutationObserver(() => {
    const isWithout = host.parentNode !== parent();
    if (!isWithout && !host.matches("[inert],[aria-hidden]")) return;
    page.setTimeout(() => returns--, 1000);
    if (returns++ < mostReturns) raise();
    else if (isWithout) onGone();
  });
  const onSign = ({ target, newState }: ToggleEvent) => {
    const isOther = target !== host && (target as HTMLElement).popover && newState === "open";
    if (isOther && raises++ < mostRaises) raise();
    checkIn();
  };
  host.popover = "manual";
  // Entering the top layer forces style and layout of visible content, which takes half the task's time.
  host.hidden = true;
  raise();
  host.hidden = false;
  const attributeFilter = ["open", "inert", "aria-hidden"];
  observer.observe(document, { childList: true, subtree: true, attributeFilter });
  signal.addEventListener("abort", () => observer.disconnect());
  listen(document, coveringEvents, onSign as (event: Event) => void, signal);
  checkIn();
}

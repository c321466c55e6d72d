import { listen } from "./listen.ts";

/** The globals of one page; an argument, so that a view never reaches for those of another window. */
export type Page = Window & typeof globalThis;

/** How often a view goes above popovers of the page: one that does the same would else fight with it for ever. */
const mostRaises = 20;

/** How often within a second a view comes back into a page that takes it out: each time in the same task, for ever. */
const mostReturns = 5;

/** How often a view that waits looks whether it can be used again. */
const lookAgainMs = 500;

/** After these something may be in front: a popover, a modal dialog that took the focus, a film. */
const signs = ["toggle", "focusin", "fullscreenchange"];

/**
 * Shows a view above everything else in the page, and keeps it there until the signal or until the page wins. Where it
 * would be seen but could not be used, as behind a modal dialog in a shadow root, it waits unseen.
 */
export function keepOnTop(host: HTMLElement, page: Page, onGone: () => void, signal: AbortSignal): void {
  const { document } = page;
  const root = host.shadowRoot!;
  // As in happy-dom and jsdom, which have nothing to be above either.
  if (!host.showPopover) return void document.documentElement.append(host);
  let [raises, returns, timer] = [0, 0, 0];
  // A modal dialog makes everything outside it inert, and so does an element in full screen.
  const parent = () =>
    [...document.querySelectorAll("dialog:modal,:fullscreen")].at(-1) ?? document.documentElement;
  const raise = () => {
    const focused = root.activeElement as HTMLElement | null;
    if (host.parentNode === parent()) host.hidePopover();
    else parent().append(host);
    host.showPopover();
    focused?.focus({ preventScroll: true });
  };
  const look = () => {
    if (signal.aborted) return;
    host.hidden = false;
    if (host.parentNode !== parent()) raise();
    const { x, y } = root.querySelector("[part=close]")!.getBoundingClientRect();
    // What a press there would reach.
    host.hidden = (document.elementFromPoint(x + 9, y + 9) ?? host) !== host;
    if (host.hidden) lookIn(lookAgainMs);
  };
  const lookIn = (delayInMs?: number) => {
    page.clearTimeout(timer);
    timer = page.setTimeout(look, delayInMs);
  };
  // A body that was replaced, a dialog that opened, closed or went away with the widget in it.
  const observer = new page.MutationObserver(() => {
    if (host.parentNode === parent()) return;
    page.setTimeout(() => returns--, 1000);
    if (returns++ < mostReturns) raise();
    else onGone();
  });
  const onSign = ({ target, newState }: ToggleEvent) => {
    const isOther = target !== host && (target as HTMLElement).popover && newState === "open";
    if (isOther && raises++ < mostRaises) raise();
    lookIn();
  };
  host.popover = "manual";
  // Going on top makes the browser compute style and layout of what is there, and half the task's time goes into that.
  host.hidden = true;
  raise();
  host.hidden = false;
  observer.observe(document, { childList: true, subtree: true, attributeFilter: ["open"] });
  signal.addEventListener("abort", () => observer.disconnect());
  listen(document, signs, onSign as (event: Event) => void, signal);
  lookIn();
}

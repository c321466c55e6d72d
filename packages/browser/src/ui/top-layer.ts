/** The globals of one page; an argument, so that a view never reaches for those of another window. */
export type Page = Window & typeof globalThis;

/** How often a view goes above popovers of the page: one that does the same would else fight with it for ever. */
const mostRaises = 20;

/** How often within a second a view comes back into a page that takes it out: each time in the same task, for ever. */
const mostReturns = 5;

/** Shows an element above everything else in the page, and keeps it there until the answer is called or the page wins. */
export function keepOnTop(host: HTMLElement, page: Page, onGone: () => void): () => void {
  const { document } = page;
  // A modal dialog makes everything outside it inert, so the place to be is inside the last one.
  const parent = () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.documentElement;
  const raise = () => {
    const focused = host.shadowRoot?.activeElement as HTMLElement | null | undefined;
    if (host.parentNode === parent()) host.hidePopover();
    else parent().append(host);
    host.showPopover();
    focused?.focus({ preventScroll: true });
  };
  // A body that was replaced, a dialog that opened, closed or went away with the widget in it.
  const observer = new page.MutationObserver(() => {
    if (host.parentNode === parent()) return;
    page.setTimeout(() => returns--, 1000);
    if (returns++ < mostReturns) raise();
    else onGone();
  });
  let returns = 0;
  let raises = 0;
  const onToggle = (event: Event) => {
    const { popover } = event.target as HTMLElement;
    const isOther = popover && event.target !== host && (event as ToggleEvent).newState === "open";
    if (isOther && raises++ < mostRaises) raise();
  };
  host.popover = "manual";
  // Going on top makes the browser compute style and layout of what is there, and half the task's time goes into that.
  host.hidden = true;
  raise();
  host.hidden = false;
  observer.observe(document, { childList: true, subtree: true, attributeFilter: ["open"] });
  document.addEventListener("toggle", onToggle, true);
  return () => {
    observer.disconnect();
    document.removeEventListener("toggle", onToggle, true);
  };
}

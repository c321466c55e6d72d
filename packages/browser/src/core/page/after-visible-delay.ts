import type { Page } from "./page.ts";

/** Timers that are set to more than 31 bits of milliseconds fire at once. */
export const longestTimerInMs = 2 ** 31 - 1;

/** Calls back once the page has been visible for `delayInMs`; hidden time does not count. Returns how to call it off. */
export function afterVisibleDelay(page: Page, delayInMs: number, run: () => void): () => void {
  const event = "visibilitychange";
  delayInMs = Math.min(delayInMs, longestTimerInMs);
  let since = 0;
  let timer: number | undefined;
  function stop() {
    page.document.removeEventListener(event, pauseOrGoOn);
    page.clearTimeout(timer);
  }
  function pauseOrGoOn() {
    if (timer) delayInMs -= page.Date.now() - since;
    page.clearTimeout(timer);
    timer = undefined;
    if (page.document.hidden) return;
    since = page.Date.now();
    timer = page.setTimeout(() => {
      stop();
      run();
    }, delayInMs);
  }
  page.document.addEventListener(event, pauseOrGoOn);
  pauseOrGoOn();
  return stop;
}

import { afterVisibleDelay } from "../core/page/index.ts";
import type { Page } from "./keep-on-top.ts";

const share = 0.5;
const delayInMs = 1000;

/** Calls back once, when at least half of an element has been visible for a second, unless the signal aborts before. */
export function whenSeen(element: Element, page: Page, seen: () => void, signal: AbortSignal): void {
  let stop: (() => void) | undefined;
  const end = () => {
    stop?.();
    observer.disconnect();
  };
  const observer = new page.IntersectionObserver(
    (entries) => {
      stop?.();
      const isVisible = entries.at(-1)!.intersectionRatio >= share;
      stop = isVisible ? afterVisibleDelay(page, delayInMs, () => (end(), seen())) : undefined;
    },
    { threshold: share },
  );
  observer.observe(element);
  signal.addEventListener("abort", end);
}

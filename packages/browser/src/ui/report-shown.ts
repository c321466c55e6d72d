import { afterVisibleDelay } from "../core/page/index.ts";
import type { SurveyViewOptions } from "../core/public/index.ts";
import { pageOf } from "./page.ts";

const visibleShare = 0.5;
const visibleForMs = 1000;

/** Tokens that this page has reported: a survey may open again with the same one. */
const reported = new Set<string>();

/**
 * Reports, once for each token and without a retry, that at least half of the view has been visible for a second, if the
 * service wants to know that. Stops when the signal aborts.
 */
export function reportShown(element: Element, { survey, service }: SurveyViewOptions, signal: AbortSignal) {
  const page = pageOf(element);
  const { reports, showTokens } = service?.definitions ?? {};
  // jsdom has no such observer.
  if (!reports?.includes?.("shown") || !page.IntersectionObserver) return;
  const { tokenNow, post } = service!;
  // An answer takes the token away, and may come first.
  const first = tokenNow();
  let stop: (() => void) | undefined;
  const end = () => {
    stop?.();
    observer.disconnect();
  };
  const report = () => {
    end();
    const showToken = (first ?? tokenNow())?.token ?? showTokens?.[survey.id];
    if (!showToken || reported.has(showToken)) return;
    reported.add(showToken);
    void post("/v1/shown", { showToken }, true);
  };
  const observer = new page.IntersectionObserver(
    (entries) => {
      stop?.();
      const isVisible = entries.at(-1)!.intersectionRatio >= visibleShare;
      stop = isVisible ? afterVisibleDelay(page, visibleForMs, report) : undefined;
    },
    { threshold: visibleShare },
  );
  observer.observe(element);
  signal.addEventListener("abort", end);
}

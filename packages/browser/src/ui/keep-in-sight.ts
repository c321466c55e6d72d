import { listen } from "./listen.ts";
import type { Page } from "./keep-on-top.ts";

/** Keeps a view in the area that a phone's keyboard leaves visible, until the signal aborts. */
export function keepInSight(host: Element, page: Page, signal: AbortSignal): void {
  const { visualViewport } = page;
  if (!visualViewport) return;
  const fit = () => {
    const { scale, offsetTop, height } = visualViewport;
    // Zooming in shrinks that area too; then the person wants a larger page and nothing else moved.
    const isWhole = scale > 1.01 || height === page.innerHeight;
    const inset = isWhole ? "" : `${offsetTop}px 0 calc(100% - ${offsetTop + height}px)`;
    (host as HTMLElement).style.setProperty("--afterword-in-sight", inset);
  };
  // The keyboard may already be open because the person types in the page.
  fit();
  listen(visualViewport, ["resize", "scroll"], fit, signal);
}

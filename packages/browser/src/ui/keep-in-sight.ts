import { listen } from "./listen.ts";
import type { Page } from "./top-layer.ts";

/** Keeps a view in the part of the window that a phone's keyboard leaves in sight, until the signal. */
export function keepInSight(host: Element, page: Page, signal: AbortSignal): void {
  const { visualViewport } = page;
  if (!visualViewport) return;
  const fit = () => {
    const { scale, offsetTop, height } = visualViewport;
    // Zooming in makes that part smaller, too: then the person wants to see the page larger and nothing else moved.
    const isWhole = scale > 1.01 || height === page.innerHeight;
    const inset = isWhole ? "" : `${offsetTop}px 0 calc(100% - ${offsetTop + height}px)`;
    (host as HTMLElement).style.setProperty("--afterword-in-sight", inset);
  };
  // The keyboard may be there already, for the person's own typing in the page.
  fit();
  listen(visualViewport, ["resize", "scroll"], fit, signal);
}

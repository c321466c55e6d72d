import type { Page } from "./top-layer.ts";

/** Fills an element of the page, and ends the ask when the page takes that element away; the answer lets go. */
export function keepInSlot(host: HTMLElement, slot: HTMLElement, page: Page, onGone: () => void): () => void {
  slot.append(host);
  const observer = new page.MutationObserver(() => host.isConnected || onGone());
  observer.observe(page.document, { childList: true, subtree: true });
  return () => observer.disconnect();
}

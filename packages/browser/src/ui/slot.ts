import type { Page } from "./top-layer.ts";

/** Less room than this shows nothing of use: such a slot reserves none, and grows. */
const leastRoomPx = 96;

/** Fills an element of the page, and ends the ask when the page takes that element away, until the signal. */
export function keepInSlot(
  host: HTMLElement,
  slot: HTMLElement,
  page: Page,
  onGone: () => void,
  signal: AbortSignal,
): void {
  const reservedPx = slot.offsetHeight;
  slot.append(host);
  keepWithin(host, host.offsetHeight + reservedPx - slot.offsetHeight);
  const observer = new page.MutationObserver(() => host.isConnected || onGone());
  // What happens inside a shadow root is not seen from outside: each one around the slot is watched, up to the page.
  for (let within: Node | undefined = slot; within;) {
    const root: Node = within.getRootNode();
    observer.observe(root, { childList: true, subtree: true });
    within = (root as ShadowRoot).host;
  }
  signal.addEventListener("abort", () => observer.disconnect());
}

/** What the page has not reserved is scrolled to, so that nothing shifts; it grows once the person has chosen. */
function keepWithin(host: HTMLElement, roomPx: number) {
  if (roomPx < leastRoomPx || roomPx >= host.offsetHeight) return;
  const root = host.shadowRoot!;
  const { style } = root.querySelector("section")!;
  style.maxHeight = `${roomPx}px`;
  root.addEventListener("change", () => (style.maxHeight = ""), { once: true });
}

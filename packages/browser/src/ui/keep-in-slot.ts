import { pageOf } from "./page.ts";

/** A slot with less room than this is too small to use: it counts as empty and grows. */
const leastRoomInPx = 96;

/** Fills an element of the page, and ends the ask if the page removes it, until the signal aborts. */
export function keepInSlot(host: HTMLElement, slot: HTMLElement, onGone: () => void, signal: AbortSignal) {
  const reservedInPx = slot.offsetHeight;
  slot.append(host);
  keepWithin(host, host.offsetHeight + reservedInPx - slot.offsetHeight);
  // An observer does not see into shadow roots: each one around the slot is observed, and others once it was moved.
  const observe = () => {
    for (let within: Node | undefined = slot; within;) {
      const root: Node = within.getRootNode();
      observer.observe(root, { childList: true, subtree: true });
      within = (root as ShadowRoot).host;
    }
  };
  const observer = new (pageOf(host).MutationObserver)(() => (host.isConnected ? observe() : onGone()));
  observe();
  signal.addEventListener("abort", () => observer.disconnect());
  // The room that the page keeps for the question would be a hole around the thanks.
  const giveBack = () => slot.localName === "afterword-survey" && (slot.style.minHeight = "0");
  host.shadowRoot!.addEventListener("change", giveBack);
}

/** Scrolls within the reserved space, so that nothing shifts, and grows once the person has chosen. */
function keepWithin(host: HTMLElement, roomInPx: number) {
  if (roomInPx < leastRoomInPx || roomInPx >= host.offsetHeight) return;
  const root = host.shadowRoot!;
  const { style } = root.querySelector("section")!;
  style.maxHeight = `${roomInPx}px`;
  // Before the card draws what follows, so that its height then is its own.
  root.addEventListener("change", () => (style.maxHeight = ""), { once: true, capture: true });
}

import { pageOf } from "./page.ts";

const timing = { duration: 180, easing: "cubic-bezier(0.2, 0.8, 0.2, 1)" };

/**
 * Plays a change of an element, without scroll bars. Resolves at its end, or is `undefined` if nothing plays: the person
 * prefers less motion, or the page is in happy-dom or jsdom.
 */
export function play(element: Element, from: Keyframe, to: Keyframe): Promise<unknown> | undefined {
  const page = pageOf(element);
  if (!element.animate || page.matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
  const frames = [from, to].map((frame) => ({ ...frame, overflow: "hidden" }));
  return element.animate(frames, timing).finished;
}

/** The size of an element as a frame, whatever its style allows. */
const sizeOf = ({ offsetWidth, offsetHeight }: HTMLElement) => ({
  width: `${offsetWidth}px`,
  height: `${offsetHeight}px`,
  maxWidth: "none",
});

/** Makes a change, and plays what it does to the size of an element. */
export function glide(element: HTMLElement, change: () => void): void {
  const before = sizeOf(element);
  change();
  // The size at the end, also if the one before is still on its way.
  for (const animation of element.getAnimations?.() ?? []) animation.cancel();
  const after = sizeOf(element);
  if (before.height === after.height && before.width === after.width) return;
  void play(element, before, after);
  // What scrolls inside is cut off by the element, too.
  for (const form of element.getElementsByTagName("form")) void play(form, {}, {});
}

/** Closes a card, which is out of the person's way at once, and then removes its host. */
export function vanish(card: HTMLElement, host: HTMLElement): void {
  host.inert = true;
  const remove = () => host.remove();
  const closing = play(card, { height: `${card.offsetHeight}px` }, { height: 0, opacity: 0 });
  if (closing) closing.then(remove, remove);
  else remove();
}

/** Changes the layout, and keeps an element where the person has just pressed it: the next press hits it too. */
export function keepInPlace(element: HTMLElement, change: () => void): void {
  const { top } = element.getBoundingClientRect();
  change();
  element.style.translate = `0 ${top - element.getBoundingClientRect().top}px`;
}

import type { Page } from "./page.ts";

/** Listens at windows ahead of the page; all files of Afterword in a page share one. */
export interface OwnEvents {
  /** Listens at another window, too, if it does not yet. */
  watch(page: Pick<Page, "addEventListener">): void;
  /** Hides an event from the page; set once a file that draws has loaded. */
  act?(event: Event): void;
  /** The path of the last focus that left an element of the page. */
  left?: EventTarget[];
  /** The element of the page that lost the focus to a survey, which the page has not heard of. */
  held?: EventTarget;
  /** The survey or thumbs in which the last press began. */
  pressed?: Node;
  /** Whether the last key was pressed in one. */
  isTyped?: boolean;
}

declare global {
  interface Window {
    afterwordEvents?: OwnEvents;
  }
}

/** Focus traps, scroll locks and whatever closes a dialog at a press outside of it act on these. */
const types =
  "click contextmenu pointerdown pointerup mousedown mouseup touchstart touchmove touchend wheel keydown keypress keyup focus focusin focusout blur paste selectstart";

/**
 * Listens at the window from the first call on. A focus trap may listen there too, in the capture phase, and is second
 * only if its dialog opens later.
 */
export function watchEvents(page: Pick<Page, "addEventListener"> & Pick<Window, "afterwordEvents">): void {
  const onEvent = (event: Event) => own.act?.(event);
  const own = (page.afterwordEvents ??= {
    watch(page) {
      for (const type of types.split(" "))
        // A browser need not wait for a passive listener before it scrolls.
        page.addEventListener(type, onEvent, { capture: true, passive: /^[wt]/.test(type) });
    },
  });
  own.watch(page);
}

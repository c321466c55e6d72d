import type { Page } from "./page.ts";

/** What listens at windows ahead of the page, for all files of Afterword. */
export interface OwnEvents {
  /** Listens at another window, too, if it does not yet. */
  watch(page: Pick<Page, "addEventListener">): void;
  /** Hides an event from the page; set once a file that draws has loaded. */
  act?(event: Event): void;
  /** The path of the last focus that left an element of the page. */
  left?: EventTarget[];
  /** The element that lost the focus to a survey, which the page has not heard of. */
  held?: EventTarget;
  /** The survey or thumbs in which the last press began; and whether the last key was pressed in one. */
  pressed?: Node;
  isTyped?: boolean;
}

declare global {
  interface Window {
    afterwordEvents?: OwnEvents;
  }
}

/** Focus traps, scroll locks and whatever closes a dialog at a press outside of it act on these. */
const types =
  "click contextmenu pointerdown pointerup mousedown mouseup keydown keypress keyup focus focusin focusout blur paste selectstart";
/** A browser need not wait for passive listeners before it scrolls. */
const scrollingTypes = "touchstart touchmove touchend wheel";

/** Listens at the window. A focus trap that listens there too, in the capture phase, is second only if it begins later. */
export function watchEvents(page: Pick<Page, "addEventListener"> & Pick<Window, "afterwordEvents">): void {
  const onEvent = (event: Event) => own.act?.(event);
  const own = (page.afterwordEvents ??= {
    watch(page) {
      const listen = (types: string, passive: boolean) =>
        types.split(" ").forEach((type) => page.addEventListener(type, onEvent, { capture: true, passive }));
      listen(types, false);
      listen(scrollingTypes, true);
    },
  });
  own.watch(page);
}

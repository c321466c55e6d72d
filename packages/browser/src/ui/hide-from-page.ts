import type { OwnEvents } from "../core/page/index.ts";
import { listen } from "./page.ts";
import type { FlowEvent } from "./survey-flow.ts";

const isOwn = (target: EventTarget | null) =>
  ["afterword-view", "afterword-thumbs"].includes((target as Element | null)?.localName ?? "");

/** Whether the page sees a key on a thumb: its shortcuts work on, and in a dialog its trap leads Tab around. */
const isShared = (host: Element, inside: Element[], { type, key }: KeyboardEvent) =>
  type.startsWith("key") &&
  host.localName === "afterword-thumbs" &&
  !inside.some(({ role }) => role === "group") &&
  (key !== "Tab" || host.closest("dialog,[role*=dialog],[aria-modal]"));

const canScroll = ({ localName, scrollHeight, clientHeight }: Element) =>
  ["form", "section", "textarea"].includes(localName) && scrollHeight > clientHeight;

/** Tells the page that the focus has left its element, once that goes elsewhere in the page. */
function release(own: Partial<OwnEvents>, relatedTarget: EventTarget | null) {
  for (const type of ["blur", "focusout"])
    if (own.held !== relatedTarget)
      own.held?.dispatchEvent(
        new FocusEvent(type, { relatedTarget, composed: true, bubbles: type !== "blur" }),
      );
  own.held = undefined;
}

const copied = "key keyCode ctrlKey metaKey altKey isComposing detail relatedTarget timeStamp".split(" ");

/**
 * Dispatches a copy that does not leave the shadow root, for the widget's own listeners. Neither it nor the click that it
 * is a copy of does anything by itself: a frame sandboxed without `allow-forms` gets no submit event. It is a plain event:
 * Firefox lets the copy of a key out, whatever its `composed` says, and WebKit moves the focus by that of Tab.
 */
function repeatInside(event: Event, target: EventTarget): void {
  const copy = new Event(event.type, { bubbles: event.bubbles, cancelable: event.cancelable });
  for (const name of copied) Object.defineProperty(copy, name, { value: event[name as "type"] });
  if (event.type === "click") copy.preventDefault();
  if (!target.dispatchEvent(copy)) event.preventDefault();
}

/** Whether to hide an event, in a survey or thumbs if there is a host. Remembers what later events are judged by. */
function isHidden(own: Partial<OwnEvents>, event: Event, inside: Element[], host?: Element): unknown {
  const { type, relatedTarget } = event as FocusEvent;
  const path = event.composedPath();
  switch (type) {
    case "pointerdown":
      return (own.pressed = host);
    case "pointerup":
    case "mouseup":
      return own.pressed;
    case "click":
      // The pointer was lifted elsewhere, as at the end of a selection: the click is on what is around both.
      return host ?? (own.pressed && (path[0] as Node).contains?.(own.pressed));
    case "keydown":
      return (own.isTyped = !!host);
    case "keyup":
      return own.isTyped;
    case "wheel":
    case "touchmove":
      return inside.some(canScroll);
    case "blur":
      return host ?? (isOwn(relatedTarget) && (own.held = path[0]));
    case "focusout":
      if (host && !isOwn(relatedTarget) && !isOwn(document.activeElement)) release(own, relatedTarget);
      if (!host) own.left = path;
      return host ?? (isOwn(relatedTarget) && (own.held = path[0]));
    default:
      return host;
  }
}

/** The events that listeners of surveys and thumbs wait for, beside clicks on buttons. */
const repeated = ["keydown", "focusin", "focusout"];

/**
 * Hides from the page what the person does in surveys and thumbs of this window. A focus trap would take the focus back,
 * a dialog would close at a press outside of it, and a scroll lock would hold the card.
 */
export function hideFromPage(page: Window): Partial<OwnEvents> {
  // The entry point's. The page for links, which is ours alone, has none.
  const own: Partial<OwnEvents> = window.afterwordEvents ?? {};
  own.watch?.(page);
  own.act ??= (event) => {
    const { type } = event;
    const path = event.composedPath() as Element[];
    const found = path.find(isOwn);
    const inside = found ? path.slice(0, path.indexOf(found)) : [];
    const host = found && isShared(found, inside, event as KeyboardEvent) ? undefined : found;
    if (!isHidden(own, event, inside, host)) return;
    event.stopImmediatePropagation();
    if (!host) return;
    const target = type === "click" ? path[0]!.closest("button") : repeated.includes(type) && path[0];
    if (target) repeatInside(event, target);
  };
  return own;
}

/** A closed shadow root of the page hides this root from the window, which then sees presses on its own element. */
const typesInside = "pointerdown mousedown touchstart click keydown keypress keyup focusin paste".split(" ");

/** Handles presses inside the widget, and hides from the page those that its window's listeners let pass. */
export function listenInside(
  root: ShadowRoot,
  own: Partial<OwnEvents>,
  act: (event: FlowEvent) => void,
  signal: AbortSignal,
): void {
  const onKey = (event: KeyboardEvent) => {
    const { key, keyCode, ctrlKey, metaKey, isComposing } = event;
    // If the key closes the widget, its keyup is hidden too.
    own.isTyped = true;
    // Keys of an input method. Safari sends them after the composition ends; only this key code identifies them.
    if (isComposing || keyCode === 229) return;
    if (key === "Escape") {
      // Otherwise a modal dialog of the page around the widget would close too.
      event.preventDefault();
      act("close");
    } else if ((ctrlKey || metaKey) && key === "Enter") act("send");
  };
  const onEvent = (event: Event) => {
    // A copy of one that was hidden, or of one below: it goes on to the button.
    if (event.type === "click" && !event.composed) return;
    event.stopPropagation();
    const button = (event.composedPath()[0] as Element).closest("button");
    if (event.type === "keydown") onKey(event as KeyboardEvent);
    else if (event.type === "click" && button) repeatInside(event, button);
  };
  listen(root, typesInside, onEvent, signal);
}

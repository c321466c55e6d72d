import type { OwnEvents } from "../core/page/index.ts";

const isOwn = (target: EventTarget | null) =>
  /^afterword-[vt]/.test(`${(target as Element | null)?.localName}`);

/** Whether the page sees a key on a thumb: its shortcuts work on, and in a dialog its trap leads Tab around. */
const isShared = (host: Element, inside: Element[], { type, key }: KeyboardEvent) =>
  type[0] === "k" &&
  host.localName === "afterword-thumbs" &&
  !inside.some(({ role }) => role === "group") &&
  (key !== "Tab" || host.closest("dialog,[role*=dialog],[aria-modal]"));

const canScroll = ({ localName, scrollHeight, clientHeight }: Element) =>
  /form|se|tex/.test(localName) && scrollHeight > clientHeight;

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
export function repeatInside(event: Event, target: EventTarget): void {
  const copy = new Event(event.type, { bubbles: event.bubbles, cancelable: event.cancelable });
  for (const name of copied) Object.defineProperty(copy, name, { value: event[name as "type"] });
  if (event.type === "click") copy.preventDefault();
  if (!target.dispatchEvent(copy)) event.preventDefault();
}

/**
 * Hides from the page what the person does in surveys and thumbs of this window. A focus trap would take the focus back,
 * a dialog would close at a press outside of it, and a scroll lock would hold the card.
 */
export function hideFromPage(page: Window): Partial<OwnEvents> {
  // The entry point's. The page for links, which is ours alone, has none.
  const own: Partial<OwnEvents> = window.afterwordEvents ?? {};
  own.watch?.(page);
  own.act ??= (event) => {
    const { type, relatedTarget } = event as FocusEvent;
    const path = event.composedPath() as Element[];
    let host = path.find(isOwn);
    const inside = path.slice(0, path.indexOf(host!));
    if (host && isShared(host, inside, event as KeyboardEvent)) host = undefined;
    let isHidden: unknown = host;
    if (type === "pointerdown") own.pressed = host;
    else if (type === "keydown") own.isTyped = !!host;
    else if (type === "keyup") isHidden = own.isTyped;
    else if (type.endsWith("up")) isHidden = own.pressed;
    // The pointer was lifted elsewhere, as at the end of a selection: the click is on what is around both.
    else if (type === "click") isHidden ??= own.pressed && path[0]!.contains?.(own.pressed);
    else if (/wh|move/.test(type)) isHidden &&= inside.some(canScroll);
    else if (!host && /blur|out/.test(type)) {
      if (type !== "blur") own.left = path;
      if (isOwn(relatedTarget)) isHidden = own.held = path[0];
    } else if (type === "focusout" && !isOwn(relatedTarget) && !isOwn(document.activeElement))
      release(own, relatedTarget);
    if (!isHidden) return;
    event.stopImmediatePropagation();
    if (!host) return;
    const target = type === "click" ? path[0]!.closest("button") : /keyd|s[io]/.test(type) && path[0];
    if (target) repeatInside(event, target);
  };
  return own;
}

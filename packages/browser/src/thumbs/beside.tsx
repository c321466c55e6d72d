/** @jsxImportSource preact */
import { Component, type ComponentChildren, createRef, type JSX } from "preact";
import { pageOf } from "../ui/page.ts";

/** With less room beside them, what opens stands below the thumbs. A box that hugs them has no room at all. */
const leastRoomInPx = 300;
const gapInPx = 8;

/** The element around, also that of a shadow root. */
const around = (element: Element) =>
  (element.assignedSlot ??
    element.parentElement ??
    (element.getRootNode() as ShadowRoot).host) as HTMLElement;

const displayOf = (element: Element) => pageOf(element).getComputedStyle(element).display;

/** Whether an element has text or another element at its side. */
function hasNeighbour(element: Element): boolean {
  const own = element.getBoundingClientRect();
  const range = element.ownerDocument.createRange();
  return [...element.parentNode!.childNodes].some((node) => {
    range.selectNode(node);
    return [...range.getClientRects()].some(
      ({ left, right, top, bottom, width, height }) =>
        width > 0 &&
        (right < own.left + 1 || left > own.right - 1) &&
        Math.min(bottom, own.bottom) - Math.max(top, own.top) > Math.min(height, own.height) / 2,
    );
  });
}

/** The box that stands by itself in the one around it: the thumbs, or the row of buttons that they are one of. */
function rowOf(host: HTMLElement): HTMLElement {
  let row = host;
  for (let box = around(row); box && box.localName !== "body"; box = around(row)) {
    // A cell keeps its contents, and has no margin.
    if (displayOf(box) === "table-cell") return host;
    const canHaveMargin = row === host || !/inline$|contents/.test(displayOf(row));
    const isHugged = box.clientWidth < Math.min(leastRoomInPx, row.offsetWidth + 4 * gapInPx);
    if (canHaveMargin && !isHugged && !hasNeighbour(row)) break;
    row = box;
  }
  return row;
}

/** A box of no size in the page: what it holds stands where there is room. */
export class Beside extends Component<{ children: ComponentChildren }> {
  #box = createRef<HTMLDivElement>();
  /** Where the box has room now: places it anew, and gives the room back. */
  #room?: { row: HTMLElement; place: () => void; giveBack: () => void };

  override render({ children }: { children: ComponentChildren }): JSX.Element {
    return (
      <div ref={this.#box} class="beside">
        {children}
      </div>
    );
  }

  override componentDidMount() {
    this.componentDidUpdate();
  }

  override componentDidUpdate() {
    const box = this.#box.current!;
    const host = (box.getRootNode() as ShadowRoot).host as HTMLElement;
    const row = box.offsetHeight ? rowOf(host) : undefined;
    // The page may have moved the thumbs to another row.
    if (row !== this.#room?.row) this.componentWillUnmount();
    if (row) (this.#room ??= this.#takeRoom(box, host, row)).place();
  }

  override componentWillUnmount() {
    this.#room?.giveBack();
    this.#room = undefined;
  }

  /**
   * Finds out where the box goes: beside the thumbs, or below the row that they stand in. A margin keeps its height free,
   * so that neither the row nor what is around it gets wider.
   */
  #takeRoom(box: HTMLElement, host: HTMLElement, row: HTMLElement) {
    const thumbs = box.parentElement!;
    const page = pageOf(box);
    // The thumbs themselves, which are a box also where their element is none.
    const above = row === host ? thumbs : row;
    const { direction, marginBlockEnd } = page.getComputedStyle(above);
    const before = above.style.marginBlockEnd;
    const place = () => {
      let outer = around(row);
      while (displayOf(outer).startsWith("table")) outer = around(outer);
      const { paddingLeft, paddingRight } = page.getComputedStyle(outer);
      const { left, right } = outer.getBoundingClientRect();
      const own = thumbs.getBoundingClientRect();
      const least = Math.max(left + parseFloat(paddingLeft), 0);
      const most = Math.min(right - parseFloat(paddingRight), box.ownerDocument.documentElement.clientWidth);
      const isMirrored = direction === "rtl";
      const room = isMirrored ? own.right - least : most - own.left;
      const isBelow = above !== thumbs || room < leastRoomInPx;
      box.classList.toggle("below", isBelow);
      box.style.maxWidth = `${isBelow ? most - least : room}px`;
      const start = isMirrored ? own.right - box.offsetWidth : own.left;
      box.style.left = `${Math.max(Math.min(start, most - box.offsetWidth), least) - own.left}px`;
      box.style.top = `${isBelow ? above.getBoundingClientRect().bottom - own.top + gapInPx : 0}px`;
    };
    const keepFree = () => {
      const below = box.getBoundingClientRect().bottom - above.getBoundingClientRect().bottom;
      if (!box.offsetHeight) this.componentWillUnmount();
      else above.style.marginBlockEnd = below > 0 ? `${parseFloat(marginBlockEnd) + below}px` : before;
    };
    const observer = new page.ResizeObserver(keepFree);
    observer.observe(box);
    page.addEventListener("resize", place);
    const giveBack = () => {
      observer.disconnect();
      page.removeEventListener("resize", place);
      above.style.marginBlockEnd = before;
    };
    return { row, place, giveBack };
  }
}

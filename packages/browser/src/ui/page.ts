/** The globals of one page; an argument, so that a view never uses those of another window. */
export type Page = Window & typeof globalThis;

/** A style sheet for documents of a page. */
export function styleSheet({ CSSStyleSheet }: Page, rules: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  return sheet;
}

export const pageOf = ({ ownerDocument }: Element) => ownerDocument.defaultView as Page;

/** Listens in the capture phase, before elements below, until the signal aborts. */
export function listen(
  target: EventTarget | null,
  types: readonly string[],
  onEvent: (event: Event) => void,
  signal: AbortSignal,
): void {
  for (const type of types) target?.addEventListener(type, onEvent, { capture: true, signal });
}

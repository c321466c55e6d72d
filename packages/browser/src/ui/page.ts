/** The globals of one page; an argument, so that a view never uses those of another window. */
export type Page = Window & typeof globalThis;

/** Returns a function that makes the style sheet of these rules once for each document, outside of which it is none. */
export function sheetOf(rules: string) {
  const sheets = new WeakMap<Document, CSSStyleSheet>();
  return ({ CSSStyleSheet, document }: Page): CSSStyleSheet => {
    const sheet = sheets.get(document) ?? new CSSStyleSheet();
    if (!sheets.has(document)) sheet.replaceSync(rules);
    sheets.set(document, sheet);
    return sheet;
  };
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

/** The globals of one page; an argument, so that a view never uses those of another window. */
export type Page = Window & typeof globalThis;

/** Returns a function that makes the style sheet of these rules once for each page, to which it belongs. */
export function sheetOf(rules: string) {
  const sheets = new WeakMap<Page, CSSStyleSheet>();
  return (page: Page): CSSStyleSheet => {
    const sheet = sheets.get(page) ?? new page.CSSStyleSheet();
    if (!sheets.has(page)) sheet.replaceSync(rules);
    sheets.set(page, sheet);
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

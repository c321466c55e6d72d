const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for XML and HTML. Of control characters only tab and line feeds are kept: XML has no others. */
export const escaped = (text: string): string =>
  text
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, "\ufffd")
    .toWellFormed()
    .replaceAll(/[&<>"]/g, (character) => entities[character]!);

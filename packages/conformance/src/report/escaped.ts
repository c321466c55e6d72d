const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for XML and HTML. XML has no control characters but tab and line feeds. */
export const escaped = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- these are what XML cannot hold
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .toWellFormed()
    .replaceAll(/[&<>"]/g, (character) => entities[character]!);

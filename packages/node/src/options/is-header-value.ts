/** Whether a text fits into a header: only visible ASCII, for example no line break that was copied along. */
export const isHeaderValue = (text: string) => /^[\x21-\x7e]+$/.test(text);

/** Whether a header can carry it: visible characters of ASCII alone; anything else is a line break that was copied along. */
export const isHeaderValue = (text: string) => /^[\x21-\x7e]+$/.test(text);
